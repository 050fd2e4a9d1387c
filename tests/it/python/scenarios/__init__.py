"""What a second client finds on the wire, a scenario each clause or ruling.

A scenario is a function of one `World`; it returns when all holds and raises otherwise.
"""

from dataclasses import dataclass, field
from pathlib import Path

from rmp_client import Client, Wire

SCENARIOS = {}


class Skipped(Exception):
    """The scenario needs something that was not given."""


@dataclass
class World:
    """The socket under test and the tokens that lie in the station's folder."""

    socket: str
    tokens: dict = field(default_factory=dict)

    def wire(self):
        return Wire(self.socket)

    def agent(self):
        return Client(self.socket)

    def token(self, name):
        path = self.tokens.get(name)
        if path is None:
            raise Skipped(f"needs --{name}-token")
        return Path(path).read_text(encoding="utf-8").strip()

    def operator(self, kind="tui"):
        return Client(self.socket, kind=kind, token=self.token("operator"))

    def alive(self):
        """A station that still shakes hands and answers."""
        with self.agent() as client:
            client.fence()


def scenario(function):
    """Lists a function as a scenario under its own name."""
    SCENARIOS[function.__name__] = function
    return function

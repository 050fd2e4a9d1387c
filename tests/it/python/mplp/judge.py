"""A second judge of MPLP objects: Python's jsonschema, with formats written here after the Facts.

usage: judge.py SCHEMAS NDJSON

SCHEMAS is the folder of the 29 files. Each line of NDJSON is {"schema": NAME, "object": ..., "clean": BOOL}, and may
have "findings": [[JSON pointer, keyword], ...]. Every object is judged by its schema as Draft-07; where this judge and
the line differ, the line is printed, and the exit code is 1.
"""

import calendar
import ipaddress
import json
import pathlib
import re
import sys

import jsonschema
from jsonschema import Draft7Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

FORMATS = jsonschema.FormatChecker(formats=())

DATE_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)


def days_of(year, month):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else calendar.mdays[month]


@FORMATS.checks("date-time")
def is_date_time(text):
    if not isinstance(text, str):
        return True
    match = DATE_TIME.fullmatch(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(it) for it in match.groups()[:6])
    sign, hours, minutes = match.group(7), int(match.group(8) or 0), int(match.group(9) or 0)
    if not (1 <= month <= 12 and 1 <= day <= days_of(year, month) and hour <= 23 and minute <= 59):
        return False
    if hours > 23 or minutes > 59:
        return False
    ahead = (hours * 60 + minutes) * (-1 if sign == "-" else 1)
    utc = (hour * 60 + minute - ahead) % (24 * 60)
    return second <= 59 or (second == 60 and utc == 24 * 60 - 1)


@FORMATS.checks("uuid")
def is_uuid(text):
    digits = "[0-9a-fA-F]"
    shape = f"{digits}{{8}}(-{digits}{{4}}){{3}}-{digits}{{12}}"
    return not isinstance(text, str) or re.fullmatch(shape, text) is not None


UNRESERVED = r"[A-Za-z0-9\-._~]"
ESCAPED = r"%[0-9A-Fa-f]{2}"
SUB_DELIM = r"[!$&'()*+,;=]"
PCHAR = rf"(?:{UNRESERVED}|{ESCAPED}|{SUB_DELIM}|[:@])"
URI = re.compile(
    r"[A-Za-z][A-Za-z0-9+\-.]*:"
    rf"(?://(?:(?:{UNRESERVED}|{ESCAPED}|{SUB_DELIM}|:)*@)?"
    rf"(?:\[(?P<ip>[^\]]*)\]|(?:{UNRESERVED}|{ESCAPED}|{SUB_DELIM})*)(?::[0-9]*)?(?:/{PCHAR}*)*"
    rf"|/(?:{PCHAR}+(?:/{PCHAR}*)*)?|{PCHAR}+(?:/{PCHAR}*)*|)"
    rf"(?:\?(?:{PCHAR}|[/?])*)?(?:\#(?:{PCHAR}|[/?])*)?"
)
FUTURE = re.compile(rf"[vV][0-9A-Fa-f]+\.(?:{UNRESERVED}|{SUB_DELIM}|:)+")


def is_ipv6(text):
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return "%" not in text


@FORMATS.checks("uri")
def is_uri(text):
    if not isinstance(text, str):
        return True
    match = URI.fullmatch(text)
    if match is None:
        return False
    literal = match.group("ip")
    return literal is None or FUTURE.fullmatch(literal) is not None or is_ipv6(literal)


ATOM = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+"
QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9\-]*[A-Za-z0-9])?"
MAILBOX = re.compile(
    rf"(?P<local>{ATOM}(?:\.{ATOM})*|{QUOTED})@(?P<domain>{LABEL}(?:\.{LABEL})*|\[(?P<address>[^\[\]\\]*)\])"
)
GENERAL = re.compile(r"(?:[A-Za-z0-9\-]*[A-Za-z0-9]):[!-Z^-~]+")
IPV4 = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")


def is_address(text):
    if IPV4.fullmatch(text):
        return all(int(it) <= 255 for it in text.split("."))
    if text[:5].lower() == "ipv6:":
        address = text[5:]
        groups = sum(2 if "." in it else 1 for it in address.split(":") if it)
        return is_ipv6(address) and ("::" not in address or groups <= 6)
    return GENERAL.fullmatch(text) is not None


@FORMATS.checks("email")
def is_email(text):
    if not isinstance(text, str):
        return True
    match = MAILBOX.fullmatch(text)
    if match is None or len(match.group("local")) > 64 or len(match.group("domain")) > 255:
        return False
    return match.group("address") is None or is_address(match.group("address"))


def pattern(validator, wanted, value, schema):
    """ECMA-262 in ASCII: `$` is the end, and not the place before a last line feed."""
    assert wanted.startswith("^") and wanted.endswith("$")
    if validator.is_type(value, "string") and not re.fullmatch(wanted[1:-1], value, re.ASCII):
        yield jsonschema.ValidationError(f"{value!r} does not match {wanted!r}")


Judge = jsonschema.validators.extend(Draft7Validator, {"pattern": pattern})


def name_of(path):
    name = path.name.removesuffix(".schema.json")
    return name.removeprefix("mplp-")


def pointer(steps):
    return "".join("/" + str(it).replace("~", "~0").replace("/", "~1") for it in steps)


def findings(error):
    at = list(error.absolute_path)
    if error.validator == "required":
        missing = [it for it in error.validator_value if it not in error.instance]
        return {(pointer([*at, it]), "required") for it in missing}
    if error.validator == "additionalProperties":
        more = [it for it in error.instance if it not in error.schema.get("properties", {})]
        return {(pointer([*at, it]), "additionalProperties") for it in more}
    return {(pointer(at), error.validator)}


def main(folder, lines):
    files = sorted(pathlib.Path(folder).rglob("*.schema.json"))
    documents = {name_of(path): json.loads(path.read_text("utf-8")) for path in files}
    assert len(documents) == 29, sorted(documents)
    for document in documents.values():
        # Where a document names its dialect, what refers to it would be judged by the class of that.
        Draft7Validator.check_schema(document)
        assert document.pop("$schema") == "http://json-schema.org/draft-07/schema#"
    resources = [(it["$id"], Resource(it, DRAFT7)) for it in documents.values()]
    registry = Registry().with_resources(resources)
    judges = {}
    for name, document in documents.items():
        judges[name] = Judge(document, registry=registry, format_checker=FORMATS)
    count = faults = 0
    with open(lines, encoding="utf-8") as file:
        for line in file:
            item = json.loads(line)
            errors = list(judges[item["schema"]].iter_errors(item["object"]))
            found = set().union(*(findings(it) for it in errors)) if errors else set()
            told = item.get("findings")
            count += 1
            if (not errors) != item["clean"] or (told is not None and found != {tuple(it) for it in told}):
                faults += 1
                print(f"differs: {sorted(found)}: {line}", end="")
    print(f"{count} objects, {faults} differ")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

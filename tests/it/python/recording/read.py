"""A second reader of recordings: the MCAP library of Python, which knows nothing of rl-console.

usage: read.py check FILE       reads all of FILE and prints what it found as one JSON object
       read.py rewrite IN OUT   writes IN anew, in the order of log_time
       read.py bare IN OUT      the same, without metadata and attachments
       read.py lz4 IN OUT       the same as `rewrite`, compressed by LZ4

`check` decodes every message by the schema in the file. It prints the topics with their counts, the sequence
numbers of entries in the order of log_time, whether log_time rises, the snapshots, the names of attachments
and metadata records, and how many messages there are from the middle of the file on, found by its index.
"""

import json
import sys

from mcap.reader import make_reader
from mcap.writer import CompressionType, Writer
from mcap_protobuf.decoder import DecoderFactory


def check(path):
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        topics, seqs, times, snapshots = {}, [], [], 0
        for it in reader.iter_decoded_messages(log_time_order=True):
            topic = it.channel.topic
            topics[topic] = topics.get(topic, 0) + 1
            times.append(it.message.log_time)
            if it.schema.name.endswith(".Snapshot"):
                snapshots += 1
                assert it.decoded_message.HasField("station")
            else:
                seqs.append(it.decoded_message.seq)
                assert it.decoded_message.seq & 0xFFFFFFFF == it.message.sequence
        middle = (times[0] + times[-1]) // 2
        from_middle = sum(1 for _ in reader.iter_messages(start_time=middle))
        print(json.dumps({
            "topics": topics,
            "seqs": seqs,
            "rises": all(a < b for a, b in zip(times, times[1:])),
            "snapshots": snapshots,
            "attachments": [it.name for it in reader.iter_attachments()],
            "metadata": sorted({it.name for it in reader.iter_metadata()}),
            "counted": summary.statistics.message_count,
            "from_middle": from_middle,
            "later_than_middle": sum(1 for time in times if time >= middle),
        }))


def write(source, target, compression, is_bare):
    with open(source, "rb") as file, open(target, "wb") as out:
        reader = make_reader(file)
        writer = Writer(out, compression=compression)
        writer.start()
        for it in [] if is_bare else reader.iter_metadata():
            writer.add_metadata(it.name, dict(it.metadata))
        for it in [] if is_bare else reader.iter_attachments():
            writer.add_attachment(it.create_time, it.log_time, it.name, it.media_type, it.data)
        schemas, channels = {}, {}
        for schema, channel, message in reader.iter_messages(log_time_order=True):
            if schema.id not in schemas:
                schemas[schema.id] = writer.register_schema(schema.name, schema.encoding, schema.data)
            if channel.id not in channels:
                channels[channel.id] = writer.register_channel(
                    channel.topic, channel.message_encoding, schemas[schema.id], dict(channel.metadata)
                )
            writer.add_message(
                channels[channel.id], message.log_time, message.data, message.publish_time, message.sequence
            )
        writer.finish()


def rewrite(source, target):
    write(source, target, CompressionType.ZSTD, False)


def bare(source, target):
    write(source, target, CompressionType.ZSTD, True)


def lz4(source, target):
    write(source, target, CompressionType.LZ4, False)


if __name__ == "__main__":
    {"check": check, "rewrite": rewrite, "bare": bare, "lz4": lz4}[sys.argv[1]](*sys.argv[2:])

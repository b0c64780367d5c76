#!/usr/bin/env python3
"""A target for skcts in one file, standard library only (docs/protocol.md).

The upper part talks and can be kept as it is; the lower part, DESCRIPTION and run_case(), is the
target: here a machine of vector cores that copy, one after the other.

    skcts check-target "exec:python3 harness/adapter/python_target.py"
    skcts run --target "exec:python3 harness/adapter/python_target.py"
"""

import json
import struct
import sys

PROTOCOL = 1
MOST_BYTES = 32 << 20


class Refuse(Exception):
    """Raised by run_case(): the case is one that this target cannot run."""


# --- talking -------------------------------------------------------------------------------------


def read_exactly(stream, count):
    data = b""
    while len(data) < count:
        more = stream.read(count - len(data))
        if not more:
            return None
        data += more
    return data


def read_message(stream):
    """The next message, or None when the suite has gone."""
    head = read_exactly(stream, 4)
    if head is None:
        return None
    (length,) = struct.unpack(">I", head)
    if not 1 <= length <= MOST_BYTES:
        raise ValueError(f"a frame of {length} bytes")
    text = read_exactly(stream, length)
    return None if text is None else json.loads(text)


def write_message(stream, message):
    text = json.dumps(message, separators=(",", ":")).encode()
    stream.write(struct.pack(">I", len(text)) + text)
    stream.flush()


def answer_run(message):
    result = {"type": "result", "id": message["id"], "tag": message.get("tag", "")}
    try:
        case = message["case"]
        if "options" in message:
            case["mix"]["options"] = message["options"]
        result.update(end="answered", outcome=run_case(case, message))
    except Refuse as why:
        result.update(end="not-supported", detail=str(why))
    return result


def answer(message):
    """The reply to a message after hello; None: there is none."""
    kind = message["type"]
    if kind == "run":
        return answer_run(message)
    if kind == "ping":
        return {"type": "pong", "id": message["id"]}
    if kind == "reset":
        return {"type": "reset", "id": message["id"]}
    if kind == "state":
        return {"type": "state", "id": message["id"], "known": False}
    if kind == "cancel":
        return None
    raise ValueError(f"unexpected message {kind}")


def serve(source, sink):
    greeted = False
    try:
        while True:
            message = read_message(source)
            if message is None or message["type"] == "goodbye":
                return
            if not greeted:
                if message["type"] != "hello" or message["protocol"] != PROTOCOL:
                    raise ValueError(f"hello of protocol {PROTOCOL} comes first")
                write_message(sink, {"type": "hello", "protocol": PROTOCOL, **DESCRIPTION})
                greeted = True
                continue
            reply = answer(message)
            if reply is not None:
                write_message(sink, reply)
    except (ValueError, KeyError, TypeError) as error:
        write_message(sink, {"type": "error", "message": f"{type(error).__name__}: {error}"})
    except BrokenPipeError:
        pass


# --- the target ----------------------------------------------------------------------------------

DESCRIPTION = {
    "name": "copying machine in Python",
    "instructions": ["DataCopy", "SetFlag", "WaitFlag", "PipeBarrier"],
    "options": ["early-start"],
    "honours_schedules": False,
}

LINE_WORDS = 16


def initial_memory(regions):
    """GM at the start, and the first word of each region."""
    base, memory = {}, []
    for region in regions:
        memory += [0] * (-len(memory) % LINE_WORDS + region.get("offset_bytes", 0) // 4)
        base[region["name"]] = len(memory)
        init = region.get("init", 0)
        if isinstance(init, int):
            words = [init] * region["words"]
        elif isinstance(init, list):
            words = init + [0] * (region["words"] - len(init))
        else:
            first, step = init.get("first", 0), init.get("step", 0)
            words = list(init.get("values", []))
            words += [first + step * i for i in range(len(words), region["words"])]
        memory += [word % 2**32 for word in words]
    return memory + [0] * (-len(memory) % LINE_WORDS), base


def value_of(number, core, cores):
    if isinstance(number, int):
        return number
    moved = (core + number.get("shift", 0)) % cores
    return number.get("base", 0) + (number.get("core", 0) + number.get("block", 0)) * moved


def place_of(operand, core, cores, base, memory, local):
    """Which memory an operand is in, and at which word."""
    if "gm" in operand:
        return memory, base[operand["gm"]] + value_of(operand.get("at", 0), core, cores)
    if "UB" in operand:
        return local, value_of(operand["UB"], core, cores)
    raise Refuse(f"operand {operand}")


def run_case(case, request):
    """Runs the case; gives its outcome. `request` has deadline_ms, strategy, seed and more."""
    mix = case["mix"]
    if "plan" in case or "outside" in mix:
        raise Refuse("only one launch, and nobody beside it")
    memory, base = initial_memory(mix.get("regions", []))
    for kernel in mix["sub_kernels"]:
        if kernel["type"] != "AIV_ONLY":
            raise Refuse("only AIV_ONLY sub kernels run here")
        cores = kernel.get("blocks", 1)
        for core in range(cores):
            local = [0] * 65536
            for step in kernel.get("aiv", []):
                if step["op"] not in DESCRIPTION["instructions"]:
                    raise Refuse(step["op"])
                if step["op"] != "DataCopy":
                    continue  # everything is in order: flags and barriers have nothing to wait for
                source, at = place_of(step["src"], core, cores, base, memory, local)
                target, to = place_of(step["dst"], core, cores, base, memory, local)
                target[to : to + step["count"]] = source[at : at + step["count"]]
    return {"status": "completed", "memory": memory}


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

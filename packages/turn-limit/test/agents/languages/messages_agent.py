"""An agent in Python: Messages, streamed, with the standard library only.

It calls its tool for as long as the model asks for it. With a number N above 0 as its argument, it starts another agent
like itself first, with N - 1, and both work at the same time.
"""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

ADDRESS = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
TOOL = {"name": "look", "description": "Looks again", "input_schema": {"type": "object"}}


def events(response):
    for line in response:
        if line.startswith(b"data:"):
            yield json.loads(line[len(b"data:"):])


def ask(messages):
    """The content blocks of the model's answer."""
    body = {"model": "claude-sonnet-4-5", "max_tokens": 1000, "stream": True, "messages": messages, "tools": [TOOL]}
    headers = {"content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(ADDRESS, json.dumps(body).encode(), headers)
    blocks = []
    with urllib.request.urlopen(request) as response:
        for event in events(response):
            if event["type"] == "content_block_start":
                blocks.append(event["content_block"])
            elif event["type"] == "content_block_delta" and event["delta"]["type"] == "text_delta":
                blocks[-1]["text"] += event["delta"]["text"]
            elif event["type"] == "message_stop":
                return blocks
    raise EOFError("The answer was cut off.")


def work():
    messages = [{"role": "user", "content": "Go."}]
    while True:
        try:
            blocks = ask(messages)
        except urllib.error.HTTPError as error:
            print(error.code, json.load(error)["error"]["message"], flush=True)
            return 3
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return 0
        print("looked", flush=True)
        results = [{"type": "tool_result", "tool_use_id": call["id"], "content": "nothing"} for call in calls]
        messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]


helpers = int(sys.argv[1]) if len(sys.argv) > 1 else 0
helper = subprocess.Popen([sys.executable, __file__, str(helpers - 1)]) if helpers > 0 else None
code = work()
if helper:
    helper.wait()
sys.exit(code)

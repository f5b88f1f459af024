"""`python -m webmine_assets.extract`: JSON lines on standard input, answers on standard output."""

import sys

from webmine_assets.extract.jsonl import extract_jsonl

extract_jsonl(sys.stdin, sys.stdout)

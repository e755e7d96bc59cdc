#!/usr/bin/env python3
"""Syncs from a real shop whose pages were changed a little, in each of the ways of changes/, and asks: does a sync ever
say more than it knows?

Each change is synced by a user of its own:
  1. into an empty store, with the change in force;
  2. without the change: the rows have to be equal to the shop's database, whatever was before;
  3. with the change again, every order read again, over rows that are right: none may go or become wrong.
runs.py says how a sync may end, and what it is called when it does not. That a change changes what is read is
checked, too: a page of its kind has to differ from the unchanged one.

    variants.py [--work DIR] [--only REGEX] [--short] [--report FILE] [--recorded]

--recorded: of a recorded WooCommerce shop (recorded_changes.py) instead of a running oscar.
"""

import sys

import changes
import recorded_changes
import runs


def main():
    arguments = runs.arguments_of(__doc__, recorded=True)
    steps = [runs.EMPTY, runs.UNCHANGED, *([] if arguments.short else [runs.RIGHT])]
    if arguments.recorded:
        return runs.judge("variants of a recorded shop", recorded_changes.CHANGES, steps, arguments, recorded_changes.Themes)
    return runs.judge("variants", changes.CHANGES, steps, arguments)


if __name__ == "__main__":
    sys.exit(main())

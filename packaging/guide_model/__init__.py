"""Makes the built-in guide and its draft: data, tokenizer, training, evaluation, export.

Everything they learn is written by this project: the topics of `resources/guide/*.toml`, which the
help pages share, and the texts beside this file. A change of the application is a change of those
and a new run, from the repository's root:

    PYTHONPATH=packaging python -m guide_model train --minutes 50 --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model export --work /tmp/guide
    PYTHONPATH=packaging python -m guide_model evaluate

`train` learns the tokenizer, then both models side by side: the draft learns from the same texts
and from what the target thinks of them. It keeps a checkpoint a minute, and `--resume` goes on from
the last. `--steps` instead of `--minutes` makes the run the same on every machine of one kind.
`export` writes the two files of `resources/models/`; `--draft-step` picks an earlier draft, as one
that agrees with the target in all things shows nobody what drafting does. `evaluate` puts the
questions that training never saw to the files, through the engine that people use.
"""

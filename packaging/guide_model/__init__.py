"""The built-in guide and its draft: data, tokenizer, training, export, evaluation.

Everything they learn is written by this project: the topics of `resources/guide/*.toml`, which the
help pages share, and the texts beside this file. A change of the application is a change of those
and a new run, as `__main__` tells.
"""

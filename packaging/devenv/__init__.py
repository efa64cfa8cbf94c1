"""Set-up of the development environment; the standard library alone, in the syntax of Python 3.8.

The search for a newer Python (`main`, `interpreters`, `system`) runs on 3.8; what follows is handed
to the Python that was found.
"""

"""`python -m mtplx` is `mtplx`."""

from mtplx.cli import main

if __name__ == "__main__":
    main()

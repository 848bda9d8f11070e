# SPDX-License-Identifier: Apache-2.0
"""The command line: one question, one line of answer."""

import os
import re
import sys
from collections.abc import Sequence

import click

import hockeystick
from hockeystick._neighbours import likely
from hockeystick.cli.audits import audit
from hockeystick.cli.calibration import calibrate
from hockeystick.cli.comparison import compare
from hockeystick.cli.filters import filters
from hockeystick.cli.ledger import ledger
from hockeystick.cli.matrices import matrix
from hockeystick.cli.pictures import plot
from hockeystick.cli.questions import delta, epsilon
from hockeystick.cli.verification import verify
from hockeystick.composition import Composition


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line.

    Errors take one line on stderr and exit with 2, an interrupt exits with 130.
    """
    try:
        code = _commands.main(arguments, prog_name="hockeystick", standalone_mode=False)
    except click.NoSuchOption as error:
        _fail(_guessed(error))
    except click.BadParameter as error:
        _fail(error.format_message() + _value_meant(error))
    except click.UsageError as error:
        _fail(_command_meant(error) or error.format_message() + _file_meant(error))
    except click.ClickException as error:
        _fail(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OSError as error:
        _give_up_output()
        name = "" if error.filename is None else f"{os.fspath(error.filename)}: "
        _fail(f"{name}{error.strerror or error}")
    except _ERRORS as error:
        _give_up_output()
        _fail(str(error) or type(error).__name__)
    sys.exit(code if isinstance(code, int) else 0)


_ERRORS = (ArithmeticError, ImportError, MemoryError, RuntimeError, TypeError, ValueError)


def _give_up_output() -> None:
    """See that what could not be written is not tried again when the interpreter ends."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str) -> None:
    click.echo(f"hockeystick: {_as_options(' '.join(message.split()))}", err=True)
    sys.exit(2)


def _as_options(message: str) -> str:
    """A message with options in place of the arguments of Python that the package names."""
    written = re.compile(r'pass (\w+)=("[^"]+"(?: or "[^"]+")*)')
    return written.sub(
        lambda found: " ".join(("pass", f"--{found[1].replace('_', '-')}", _bare(found[2]))),
        message.replace("within the reach of make", "within reach"),
    )


def _bare(text: str) -> str:
    return text.replace('"', "")


def _guessed(error: click.NoSuchOption) -> str:
    """The message, with the option that a word of other libraries means."""
    known = error.ctx.command.params if error.ctx is not None else []
    names = [name[2:].replace("-", "_") for one in known for name in one.opts if name[:2] == "--"]
    own = _nearest(error.option_name.lstrip("-"), names)
    hint = f"; did you mean '--{own}'?" if own else _taken_by(error.option_name)
    return f"No such option {error.option_name!r}{hint}"


def _taken_by(option: str) -> str:
    """The commands that have the option, as the end of an error."""
    commands = sorted(_commands.commands.items())
    others = [name for name, one in commands if any(option in each.opts for each in one.params)]
    return f"; {', '.join(others)} {'takes' if len(others) == 1 else 'take'} it" if others else ""


def _file_meant(error: click.UsageError) -> str:
    """The option that a file without one belongs to, as the end of an error."""
    extra = re.search(r"unexpected extra argument.* \((\S+\.(?:toml|json))\)", error.message)
    return f"; did you mean --run {extra[1]}?" if extra else ""


def _value_meant(error: click.BadParameter) -> str:
    """The value of an option that was meant, as the end of an error."""
    kind = error.param.type if error.param is not None else None
    given = re.search("'([^']*)' is not one of", error.message)
    if not (given and isinstance(kind, click.Choice)):
        return ""
    own = _nearest(given[1], [str(value).replace("-", "_") for value in kind.choices])
    return f" Did you mean '{own}'?" if own else ""


def _command_meant(error: click.UsageError) -> str:
    """The error of an unknown command, with where the answer is that it was to give."""
    given = re.match("No such command '(.*)'.", error.message)
    if given is None:
        return ""
    commands = sorted(_commands.commands)
    if own := _nearest(given[1], [*commands, "--help", "--version"]):
        return f"{given[0]} Did you mean '{own}'?"
    if asked := _nearest(given[1], [name for name in dir(Composition) if name[0] != "_"]):
        return f"{given[0]} Python asks it as run.{asked.replace('-', '_')}(...)."
    return f"{given[0]} There are {', '.join(commands)}."


def _nearest(word: str, names: list[str]) -> str:
    """The name that a word of other libraries means, or that it is near; nothing if none is."""
    hint = likely(word.replace("-", "_"), names)
    return _bare(hint.removeprefix("; did you mean ").removesuffix("?").replace("_", "-"))


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        click.echo(f"hockeystick {hockeystick.__version__}")
        context.exit()


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: hockeystick epsilon --noise-multiplier 1.0 --sampling-probability 0.01 "
    "--steps 10000 --delta 1e-5",
)
@click.option(
    "--version",
    is_flag=True,
    callback=_version,
    is_eager=True,
    expose_value=False,
    help="Show the version and exit.",
)
@click.pass_context
def _commands(context: click.Context) -> None:
    """Certified privacy of DP-SGD: epsilon and delta between proven bounds."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


for _command in (epsilon, delta, calibrate, plot, compare, verify, ledger, filters, audit, matrix):
    _commands.add_command(_command)

"""pianola under the name by which the public guides import it."""
from pianola import *  # noqa: F401,F403 -- every public name

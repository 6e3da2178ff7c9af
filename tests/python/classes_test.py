#!/usr/bin/env python3
"""Objects that no constructor has made: every use of one is an exception, and none ends the process.

Python makes them of any class, with Class.__new__(Class). The module's classes are found, not listed.
"""
import inspect
import re
import unittest

import pianola
from pianola import _native
from python_support import main

NEVER = "was never initialised"
MOST_ARGUMENTS = 8
CONSTRUCTORS = "__init__", "__new__", "__setstate__"


def classes_below(base):
    """The classes that inherit from it, at any depth."""
    found = {base}
    for each in base.__subclasses__():
        found |= classes_below(each)
    return found


def classes():
    """The classes of the module that hold an object of C++, also those that no name of the module leads to."""
    base = pianola.Session.__mro__[-2]  # above it there is `object` alone
    native = (each for each in classes_below(base) if each.__module__ == _native.__name__)
    return sorted(native, key=lambda each: each.__name__)


def keywords_of(use):
    """The function's parameters that can be given by name only, each with some value."""
    _, _, rest = (use.__doc__ or "").partition("*, ")
    return dict.fromkeys(re.findall(r"(\w+): ", rest.partition(") ->")[0]), 0)


def uses(here):
    """What can be done with an object of that class: names, and functions that take the object and more."""
    for name, member in vars(here).items():
        if type(member) is property:  # pybind11 derives a class from it, for what belongs to the class
            yield name, member.fget
            if member.fset is not None:
                yield f"{name} =", member.fset
        elif inspect.isroutine(member) and name not in CONSTRUCTORS and not isinstance(member, staticmethod):
            yield name, member


class Classes(unittest.TestCase):
    """All classes of the native module."""

    def test_the_classes_are_found(self):
        found = classes()
        self.assertGreaterEqual(len(found), 30)
        for name, member in vars(_native).items():
            if isinstance(member, type) and not issubclass(member, Exception):
                self.assertIn(member, found, name)

    def test_an_object_without_construction_is_refused(self):
        for here in classes():
            for name, use in uses(here):
                with self.subTest(f"{here.__name__}.{name}"):
                    self.assert_refused(here, use)

    def assert_refused(self, here, use):
        """With some number of arguments the call is one that the function takes, and it looks at the object first."""
        complaints = []
        for count in range(MOST_ARGUMENTS):
            for argument in (None, 0, here.__new__(here)):
                for keywords in ({}, keywords_of(use)):
                    try:
                        use(here.__new__(here), *[argument] * count, **keywords)
                    except Exception as error:  # pylint: disable=broad-exception-caught -- whichever there is
                        complaints.append(f"{type(error).__name__}: {error}")
        self.assertTrue(any(each.startswith("TypeError") and NEVER in each for each in complaints), complaints[:3])

    def test_functions_refuse_it_as_an_argument(self):
        tensor = pianola.Tensor.__new__(pianola.Tensor)
        device = pianola.Device.__new__(pianola.Device)
        for call in (lambda: pianola.relu(tensor), lambda: pianola.add(tensor, tensor),
                     lambda: pianola.to_numpy(tensor), lambda: pianola.close_device(device),
                     lambda: pianola.create_event(device), lambda: pianola.WorkloadCapture(device),
                     lambda: pianola.Session.__new__(pianola.Session).run([])):
            with self.assertRaises(TypeError):
                call()

    def test_a_derived_class_is_constructed_as_ever(self):

        class Place(pianola.CoreCoord):
            """One that a program derives."""

        self.assertEqual(Place(1, 2).x, 1)
        with self.assertRaisesRegex(TypeError, NEVER):
            _ = Place.__new__(Place).x


if __name__ == "__main__":
    main()

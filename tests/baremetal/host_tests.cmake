# What of this folder the host's build tests: that the Python parts fail where they must.

"""The museum: engines with one known fault each, engines that look faulty and are right, and the audit of them all."""

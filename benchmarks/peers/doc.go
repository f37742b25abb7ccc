// Package peers times the filter against the same recursion in NumPy (numpy_filter.py), in turn and in one run, and writes a table of
// nanoseconds per step and their ratio. It needs Python with NumPy: OATTA_PYTHON, else python3.
//
//	oatta bench peers
//
// Package torch below it times gradient steps against PyTorch, by the same [Process].
package peers

// SPDX-License-Identifier: GPL-2.0-or-later
// objects.cc SECONDS - what C++ programs do: virtual calls, templates of its library, exceptions through many frames.
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct shape {
	virtual ~shape() = default;
	virtual double area(unsigned n) const = 0;
};

struct square : shape {
	double side;
	explicit square(double length) : side(length) {}
	double area(unsigned n) const override
	{
		double value = side;

		for (unsigned i = 0; i < n; i++)
			value = value * 1.0000001 + 0.5;
		return value;
	}
};

static volatile double sink;

__attribute__((noinline)) static double fail_below(unsigned n)
{
	const std::string text(n, 'x');

	if (!n)
		throw std::runtime_error("deep");
	return fail_below(n - 1) + static_cast<double>(text.size());
}

__attribute__((noinline)) static double caught(unsigned n)
{
	try {
		return fail_below(n);
	} catch (const std::exception &error) {
		return error.what()[0];
	}
}

static double round_of(unsigned i)
{
	std::vector<std::unique_ptr<shape>> shapes;
	std::map<std::string, double> named;
	std::function<double(unsigned)> nested = [&](unsigned n) { return n ? nested(n - 1) + 1 : shapes[0]->area(2000); };

	for (unsigned k = 0; k < 20; k++)
		shapes.emplace_back(new square(k + i % 3));
	for (const auto &one : shapes)
		named[std::to_string(one->area(50))] += 1;
	std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area(30) < b->area(30); });
	return nested(20) + caught(i % 20) + static_cast<double>(named.size());
}

int main(int argc, char **argv)
{
	const clock_t end = clock() + static_cast<clock_t>(CLOCKS_PER_SEC * (argc > 1 ? std::atof(argv[1]) : 1));

	for (unsigned i = 0; clock() < end; i++)
		sink = sink + round_of(i);
	return 0;
}

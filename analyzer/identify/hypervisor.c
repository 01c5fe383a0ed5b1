/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hypervisor.c - who runs this virtual machine, by what firmware and kernel say; x86 CPUs are asked first (cpuid.c). */
#include <string.h>

#include "identify/parts.h"

struct firmware {
	const char *vendor;  /* start of sys/class/dmi/id/sys_vendor */
	const char *product; /* in sys/class/dmi/id/product_name; NULL: any */
	const char *name;    /* NULL: this is no virtual machine */
};

/* First match wins. */
static const struct firmware firmwares[] = {
	/* clang-format off */
	{ "Amazon EC2",            ".metal",                NULL },
	{ "Amazon EC2",            NULL,                    "Amazon EC2" },
	{ "Google",                "Google Compute Engine", "Google Compute Engine" },
	{ "Microsoft Corporation", "Virtual Machine",       "Hyper-V" },
	{ "Alibaba Cloud",         "Alibaba Cloud ECS",     "Alibaba Cloud" },
	{ "OpenStack",             NULL,                    "OpenStack" },
	{ "QEMU",                  NULL,                    "QEMU" },
	{ "Red Hat",               "KVM",                   "KVM" },
	{ "VMware",                NULL,                    "VMware" },
	{ "Xen",                   NULL,                    "Xen" },
	{ "innotek GmbH",          NULL,                    "VirtualBox" },
	{ "Parallels",             NULL,                    "Parallels" },
	{ "Apple Inc.",            "Virtualization",        "Apple Virtualization" },
	{ "DigitalOcean",          NULL,                    "DigitalOcean" },
	{ "Hetzner",               "vServer",               "Hetzner" },
	/* clang-format on */
};

/* compatible strings of the device tree's hypervisor node, and what sys/hypervisor/type says */
static const struct {
	const char *start, *name;
} interfaces[] = {
	/* clang-format off */
	{ "linux,kvm",        "KVM" },
	{ "xen",              "Xen" },
	{ "vmware",           "VMware" },
	{ "microsoft,hyperv", "Hyper-V" },
	/* clang-format on */
};

static const char *by_interface(const char *text)
{
	if (!text || !*text)
		return NULL;
	for (size_t i = 0; i < COUNT_OF(interfaces); i++)
		if (!strncmp(text, interfaces[i].start, strlen(interfaces[i].start)))
			return interfaces[i].name;
	return "hypervisor";
}

static const struct firmware *find_firmware(const char *vendor, const char *product)
{
	for (size_t i = 0; i < COUNT_OF(firmwares); i++) {
		const struct firmware *row = &firmwares[i];

		if (!strncmp(vendor, row->vendor, strlen(row->vendor)) &&
		    (!row->product || strstr(product, row->product)))
			return row;
	}
	return NULL;
}

static const char *by_firmware(const struct sysfiles *files)
{
	const char *vendor = sysfile_read(files, "sys/class/dmi/id/sys_vendor");
	const char *product = sysfile_read(files, "sys/class/dmi/id/product_name");
	const struct firmware *row = vendor ? find_firmware(vendor, product ? product : "") : NULL;

	return row ? row->name : NULL;
}

const char *hypervisor_identify(const struct sysfiles *files)
{
	const char *name = by_firmware(files);

	if (!name)
		name = by_interface(sysfile_read(files, "sys/hypervisor/type"));
	if (!name)
		name = by_interface(sysfile_read(files, "proc/device-tree/hypervisor/compatible"));
	return name;
}

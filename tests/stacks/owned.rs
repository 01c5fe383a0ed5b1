// SPDX-License-Identifier: GPL-2.0-or-later
// owned.rs SECONDS - what Rust programs do: collections, formatting, sorting, calls through a trait object.
use std::collections::{BTreeMap, HashMap};

extern "C" {
    fn clock() -> std::os::raw::c_long;
}

/// Of CPU time, of which a busy host takes nothing.
fn now() -> f64 {
    unsafe { clock() as f64 / 1e6 }
}

#[inline(never)]
fn deep(n: u32, work: &dyn Fn(u32) -> u64) -> u64 {
    if n == 0 {
        work(300)
    } else {
        deep(n - 1, work).wrapping_add(n as u64)
    }
}

fn round(i: u32, total: u64) -> u64 {
    let mut hashed: HashMap<String, u64> = HashMap::new();
    let mut sorted = BTreeMap::new();
    for k in 0..40u32 {
        *hashed.entry(format!("{}", k.wrapping_mul(i) % 17)).or_insert(0) += k as u64;
        sorted.insert(k.wrapping_mul(2654435761), k.to_string());
    }
    let mut keys: Vec<String> = hashed.keys().cloned().collect();
    keys.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    deep(i % 30, &|n| (0..n as u64).map(|x| x * x ^ total).sum())
        .wrapping_add(keys.len() as u64)
        .wrapping_add(sorted.values().map(|text| text.len() as u64).sum())
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).map_or(1.0, |word| word.parse().unwrap());
    let (mut i, mut total) = (0u32, 0u64);
    while now() < seconds {
        total = total.wrapping_add(round(i, total));
        i += 1;
    }
    println!("{i} {total}");
}

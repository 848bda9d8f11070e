// SPDX-License-Identifier: Apache-2.0
// Bytes of the files that are named: as they are, and as servers send them.
import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const sizes = process.argv.slice(2).map((path) => {
  const data = readFileSync(path);
  return { file: data.length, gzip: gzipSync(data, { level: 9 }).length, brotli: brotliCompressSync(data).length };
});
console.log(JSON.stringify(sizes));

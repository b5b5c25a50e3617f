// Bundles CodeMirror into one classic script, with the licences of all that is in
// it: npm ci && npm run build. The lock file has the versions and their hashes.
import { build } from "esbuild"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"

const result = await build({
  entryPoints: ["entry.js"],
  outfile: "../codemirror.js",
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "CodeMirror",
  target: ["es2022"],
  charset: "ascii",
  legalComments: "none",
  metafile: true,
})

// Only what is in the bundle, not what builds it.
const used = new Set()
for (const input of Object.keys(result.metafile.inputs)) {
  const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)
  if (name) used.add(name[1])
}
let versions = "codemirror.js is a bundle of these packages of npm. Made anew by build/build.mjs.\n\n"
let licences = ""
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"))
for (const name of [...used].sort()) {
  const entry = lock.packages["node_modules/" + name]
  versions += `${name} ${entry.version} ${entry.license} ${entry.integrity}\n`
  const file = readdirSync("node_modules/" + name).find((file) => /^licen[cs]e/i.test(file))
  if (!file) throw new Error(name + " has no licence file")
  licences += `=== ${name} ${entry.version}\n\n${readFileSync(`node_modules/${name}/${file}`, "utf8").trim()}\n\n`
}
writeFileSync("../VERSIONS", versions)
writeFileSync("../LICENSE", licences.trimEnd() + "\n")

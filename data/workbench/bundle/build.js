// Bundles the editor: one module, minified, and beside it the licences of all that is in it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const target = "../static/vendor/codemirror";
const { metafile } = await build({
  entryPoints: ["entry.js"], bundle: true, minify: true, format: "esm", target: "es2022",
  charset: "utf8", legalComments: "none", metafile: true, outfile: `${target}.js`,
});
const used = new Set(Object.keys(metafile.inputs).map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]));
const licences = [...used].filter(Boolean).sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
});
writeFileSync(`${target}.LICENSES.txt`, licences.join(`\n${"-".repeat(72)}\n\n`));

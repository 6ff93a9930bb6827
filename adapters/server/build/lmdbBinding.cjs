/**
 * Replaces node-gyp-build-optional-packages in the bundle: loads LMDB's binding from its package for this platform. The
 * packages are optional dependencies of isonode itself, so neither `lmdb` nor its install script is needed.
 */
const { readdirSync } = require('node:fs')
const path = require('node:path')

const { versions } = process
/** Deno and Bun report an ABI that they do not implement. */
const abi = versions.deno === undefined && versions.bun === undefined ? `abi${versions.modules}` : undefined

/** Bindings for this ABI, then those of Node-API, which every version can load. */
function rank(file) {
  const tags = file.split('.')
  if (abi !== undefined && tags.includes(abi)) return 0
  return tags.includes('napi') ? 1 : 2
}

module.exports = () => {
  const name = `@lmdb/lmdb-${process.platform}-${process.arch}`
  const folder = path.dirname(require.resolve(`${name}/package.json`))
  const files = readdirSync(folder).filter((file) => file.endsWith('.node') && rank(file) < 2)
  let reason = new Error(`${name} has no binding for ${process.version}`)
  // One of two bindings is for another C library, and does not load.
  for (const file of files.sort((a, b) => rank(a) - rank(b))) {
    try {
      return require(path.join(folder, file))
    } catch (error) {
      reason = error
    }
  }
  throw reason
}

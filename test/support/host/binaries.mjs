/**
 * The other runtimes' programs among the installed packages.
 * @module
 */
import { existsSync } from 'node:fs'
import path from 'node:path'

const modules = path.resolve(import.meta.dirname, '../../../node_modules')
const platform = `${process.platform}-${process.arch}`

/**
 * First of the candidates that exists.
 * @param {readonly string[]} candidates
 * @returns {string}
 */
function find(candidates) {
  const found = candidates.map((name) => path.join(modules, name)).find((file) => existsSync(file))
  if (found === undefined) throw new Error(`none of ${candidates.join(', ')} is installed: run npm ci`)
  return found
}

/**
 * Deno itself: the script in .bin starts it as a child and passes no signals on.
 * @returns {string}
 */
export const denoBinary = () => find([`@deno/${platform}-glibc/deno`, `@deno/${platform}/deno`, 'deno/deno'])

/**
 * Bun: its install script moves the program out of the platform's package.
 * @returns {string}
 */
export const bunBinary = () => find([`@oven/bun-${platform}/bin/bun`, 'bun/bin/bun.exe'])

if (process.argv[2] === 'deno') console.log(denoBinary())
if (process.argv[2] === 'bun') console.log(bunBinary())

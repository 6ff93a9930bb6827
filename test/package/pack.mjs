/**
 * Packs the package as `npm publish` would and prints the path of the file.
 *
 *   npm run build && node test/package/pack.mjs [folder, default a new temporary one]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** @returns absolute path of the packed file */
export function pack(folder = mkdtempSync(path.join(tmpdir(), 'isonode-pack-'))) {
  mkdirSync(folder, { recursive: true })
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', path.resolve(folder)]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }))
  return path.resolve(folder, filename)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(pack(process.argv[2]))

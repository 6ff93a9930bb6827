/** Builds the program before the tests that start it, unless it was built from the present sources. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { isBuilt } from '../../../adapters/server/build/inputs.mjs'

export default function build(): void {
  const root = path.resolve(import.meta.dirname, '../../..')
  const npm = process.env['npm_execpath']
  if (isBuilt(root, path.join(root, 'dist'))) return
  const [file, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  execFileSync(file, [...args, 'run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}

/** Builds the program before the tests that start it. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'

export default function build(): void {
  const root = path.resolve(import.meta.dirname, '../../..')
  const npm = process.env['npm_execpath']
  const [file, args] = npm === undefined ? ['npm', []] : [process.execPath, [npm]]
  execFileSync(file, [...args, 'run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
}

/** The declarations that the package needs: those that its entries reach. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SPECIFIER = /((?:\bfrom|\bimport\()\s*['"])(\.[^'"]+?)\.(?:ts|js)(['"])/g

/**
 * Copies declarations that tsc has written below `from`.
 * @param entries without their extension, relative to `from`
 */
export function copyDeclarations(from, to, entries) {
  rmSync(to, { recursive: true, force: true })
  const copied = new Set()
  const waiting = [...entries]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (copied.has(name)) continue
    copied.add(name)
    const folder = path.dirname(name)
    const text = readFileSync(path.join(from, `${name}.d.ts`), 'utf8')
    const target = path.join(to, `${name}.d.ts`)
    mkdirSync(path.dirname(target), { recursive: true })
    // Every resolver finds a declaration under the name of its JavaScript file.
    const adapted = text.replaceAll(SPECIFIER, (_, before, specifier, after) => {
      waiting.push(path.join(folder, specifier))
      return `${before}${specifier}.js${after}`
    })
    writeFileSync(target, adapted)
  }
}

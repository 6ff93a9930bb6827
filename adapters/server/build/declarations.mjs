/** The declarations that the package needs: those that its entries reach. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SPECIFIER = /((?:\bfrom|\bimport\()\s*['"])(\.[^'"]+?)\.(?:ts|js)(['"])/g

const COMMENT = /^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm

/**
 * Copies declarations that tsc has written below `from`.
 * @param entries without their extension, relative to `from`
 * @param options `kind`: `js`, or `cjs` for the declarations of modules that `require` loads; `hasComments`: whether
 *   comments are kept. Declarations that an earlier call has copied stay as they are.
 */
export function copyDeclarations(from, to, entries, { kind = 'js', hasComments = true } = {}) {
  const ending = kind === 'js' ? '.d.ts' : '.d.cts'
  const copied = new Set()
  const waiting = [...entries]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (copied.has(name)) continue
    copied.add(name)
    const folder = path.dirname(name)
    const text = readFileSync(path.join(from, `${name}.d.ts`), 'utf8')
    const target = path.join(to, `${name}${ending}`)
    const isCopied = existsSync(target)
    mkdirSync(path.dirname(target), { recursive: true })
    // Every resolver finds a declaration under the name of its JavaScript file.
    const adapted = text.replaceAll(SPECIFIER, (_, before, specifier, after) => {
      waiting.push(path.join(folder, specifier))
      return `${before}${specifier}.${kind}${after}`
    })
    if (!isCopied) writeFileSync(target, hasComments ? adapted : adapted.replaceAll(COMMENT, ''))
  }
}

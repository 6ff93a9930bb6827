import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { runInThisContext } from 'node:vm'
import { afterAll, expect, it } from 'vitest'
import { shortenNames } from '../../../../../adapters/server/build/shortNames.mjs'

const folder = mkdtempSync(path.join(tmpdir(), 'isonode-names-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const BUNDLE = `const startingAmount=7;
function describeFailure(longParameter){return new Error("#report( of "+longParameter)}
const readLater=async(longParameter)=>{throw describeFailure(longParameter)};
class Ledger{#secretBalance=startingAmount;static async#openAll(longParameter){throw describeFailure(longParameter)}
#report(longParameter){throw describeFailure(longParameter+this.#secretBalance)}
get#total(){return this.#secretBalance}
has(longParameter){return #report in longParameter}
report(longParameter){this.#report(longParameter)}total(){return this.#total}
static openAll(){return Ledger.#openAll("all")}}
const words=["a#report b","async#report(","\\u00e9"];
export{Ledger,readLater,words};`

async function shorten(text: string, options: { isModule?: boolean } = {}): Promise<string> {
  const file = path.join(folder, 'bundle.js')
  writeFileSync(file, text)
  await shortenNames(file, options)
  return readFileSync(file, 'utf8')
}

async function stackOf(fail: () => unknown): Promise<string> {
  try {
    await fail()
  } catch (error) {
    return String((error as Error).stack)
  }
  throw new Error('nothing failed')
}

it('keeps the names that stack traces have, and shortens the others', async () => {
  const text = await shorten(BUNDLE)
  expect(text).not.toMatch(/longParameter|startingAmount|secretBalance|[^\0-\x7f]/)
  const file = path.join(folder, 'shortened.mjs')
  writeFileSync(file, text)
  const { Ledger, readLater, words } = await import(file)
  expect(words).toEqual(['a#report b', 'async#report(', 'é'])
  const ledger = new Ledger()
  expect(ledger.total()).toBe(7)
  expect(ledger.has(ledger)).toBe(true)
  expect(ledger.has({})).toBe(false)
  const stack = await stackOf(() => ledger.report('a'))
  expect(stack).toContain('Error: #report( of a7')
  for (const name of ['describeFailure', '#report']) expect(stack).toContain(`${name} (`)
  expect(await stackOf(() => Ledger.openAll())).toContain('#openAll')
  expect(Ledger.name).toBe('Ledger')
  expect(await stackOf(() => readLater('b'))).toContain('readLater')
})

it('writes a script whose lines end at statements', async () => {
  const statements = Array.from({ length: 300 }, (_, i) => `total+=${i};`).join('')
  const text = await shorten(`(function(){let total=0;${statements}return \`\${total};;\`})`, { isModule: false })
  expect(runInThisContext(text)()).toBe('44850;;')
  const lines = text.split('\n')
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) expect(line.length).toBeLessThan(520)
})

it('leaves strings where bundlers look for them', async () => {
  const worker = 'new Worker(new URL("./worker.js",import.meta.url),{type:"module"})'
  const text = await shorten(`export const open=()=>[import("./part.js"),${worker}];`)
  expect(text).toContain('import("./part.js")')
  expect(text).toContain(worker)
})

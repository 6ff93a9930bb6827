/** The findings of axe on a page, by the rules of WCAG 2.2 AA. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions, run } from 'axe-core'
import type { Tab } from '../../support/host/tab.ts'

declare global {
  var axe: { readonly run: typeof run }
}

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
/** Rules of these tags that axe leaves out unless it is asked for them. */
const UNASKED = ['target-size']
/** Rules whose findings depend on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * @param further rules beyond AA
 * @returns one line for each finding
 */
export function findings(page: Tab, further: readonly string[] = []): Promise<string[]> {
  return violations(page, { runOnly: TAGS, rules: enabled([...UNASKED, ...further]) })
}

/** @returns one line for each finding about colours, of a page whose other findings are known */
export function colourFindings(page: Tab): Promise<string[]> {
  return violations(page, { runOnly: COLOUR_RULES })
}

const enabled = (rules: readonly string[]): NonNullable<RunOptions['rules']> =>
  Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]))

async function violations(page: Tab, options: RunOptions): Promise<string[]> {
  // The policy of the page does not concern what the browser's debugger evaluates.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE)
  const results = (await page.evaluate(
    (chosen) => globalThis.axe.run(document, { resultTypes: ['violations'], ...chosen }),
    options,
  )) as AxeResults
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id} at ${target.join(' ')}: ${help}. ${failureSummary}`),
  )
}

/**
 * Lighthouse on the explorer of a dev chain: performance, accessibility and best practices. Needs the built node, Chromium, and
 * lighthouse in `.cache/lighthouse` (`npm install lighthouse@12.8.2`, the newest for Node 20).
 *
 *   npm run build && node test/bench/lighthouse.bench.mjs [--form desktop|mobile] [--route /]
 */
import { execFile } from 'node:child_process'
import path from 'node:path'
import process from 'node:process'
import { parseArgs, promisify } from 'node:util'
import { startNode } from '../reliability/devNode.mjs'

const LIGHTHOUSE = path.resolve(import.meta.dirname, '../../.cache/lighthouse/node_modules/lighthouse/cli/index.js')
const MAX_REPORT_BYTES = 64 * 1024 * 1024
const { values } = parseArgs({
  options: { form: { type: 'string', default: 'desktop' }, route: { type: 'string', default: '/' } },
})

const node = await startNode(['--ephemeral'])
try {
  const args = [
    LIGHTHOUSE,
    `${node.http}/#${values.route}`,
    '--output=json',
    '--quiet',
    '--only-categories=performance,accessibility,best-practices',
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(values.form === 'desktop' ? ['--preset=desktop'] : []),
  ]
  const env = { ...process.env, CHROME_PATH: process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: MAX_REPORT_BYTES })
  const { categories, audits } = JSON.parse(stdout)
  for (const { title, score, auditRefs } of Object.values(categories)) {
    console.log(`${title}: ${Math.round(100 * score)}`)
    for (const { id, weight } of auditRefs) {
      const audit = audits[id]
      if (weight > 0 && audit.score !== null && audit.score < 1) {
        console.log(`  ${audit.title}: ${audit.displayValue ?? `score ${audit.score}`}`)
      }
    }
  }
} finally {
  node.child.kill('SIGTERM')
  await node.ended
}

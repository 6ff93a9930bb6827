/**
 * A recording as a program that makes the same calls with viem. Secrets are masked, and calls that lack parts are left out.
 * @module
 */
import { treatmentOf } from '../../../src/replay/policy.ts'
import type { RecordedCall, Recording } from '../../../src/replay/recording.ts'
import { withoutSecrets } from '../../../src/replay/secrets.ts'

export function viemScript({ origin, calls }: Recording): string {
  const lines = calls.map(withoutSecrets).map(lineOf)
  return [
    `// Calls of ${JSON.stringify(origin)}, recorded by isonode. Run it against a test chain: node script.mjs [URL]`,
    "import { createClient, http } from 'viem'",
    '',
    "const client = createClient({ transport: http(process.argv[2] ?? 'http://127.0.0.1:8545', { retryCount: 0 }) })",
    '',
    'async function call(method, params) {',
    '  try {',
    '    console.log(method, JSON.stringify(await client.request({ method, params })))',
    '  } catch (error) {',
    '    console.log(method, String(error.details ?? error.message))',
    '  }',
    '}',
    '',
    ...lines,
    '',
  ].join('\n')
}

function lineOf({ method, params, omitted }: RecordedCall): string {
  if (omitted !== undefined) return `// ${oneLine(method)}: not recorded completely`
  // A signed transaction was recorded as one that the node sends.
  const sent = treatmentOf(method) === 'send' ? 'eth_sendTransaction' : method
  const text = `await call(${JSON.stringify(sent)}, ${JSON.stringify(params)})`
  return treatmentOf(method) === 'skip' ? `// ${oneLine(text)}` : text
}

/** The page chooses the name of a method; it must not end the comment. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]/g, ' ')
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'
import { MemoryPermissionFiles } from '../../support/private/permissionFiles.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'

interface Step {
  readonly n: number
  readonly event?: string
  readonly file?: string
  readonly request?: { readonly method: string; readonly params: readonly unknown[] }
  readonly response?: {
    readonly result?: unknown
    readonly error?: { readonly code: number; readonly message: string }
  }
}

interface Transcript {
  readonly about: { readonly e2?: string }
  readonly steps: readonly Step[]
}

const openNode = closedAfterEach()

const SECOND =
  'enode://bb0cd19185f075a6cbf15f505199df18053785bd5b77a0b2c99f324c6a5aea604bf9f242c6f21337f3ed4a087a653805af14fd958a545f4036e97d2e3e5a2533@127.0.0.1:25711'
const THIRD = SECOND.replace(':25711', ':25999')
const ACCOUNT = '0xaa8fe7c1ffea74b07cb4b0f852b13af55af77a8c'
const EMPTY = 'accounts-allowlist=[]\nnodes-allowlist=[]\n'

/** Files that the recording wrote without showing them, by the step that reads them. `undefined`: removed */
const HIDDEN_FILES: Readonly<Record<string, Readonly<Record<number, string | undefined>>>> = {
  'transcript-local.json': {
    71: `accounts-allowlist=["${ACCOUNT}"]\nnodes-allowlist=["${SECOND}"]\n`,
    104: `accounts-allowlist=[]\nnodes-allowlist=["${SECOND}","${THIRD}"]\n`,
    107: EMPTY,
    110: undefined,
  },
  'transcript-local-more.json': {},
}

/** The recorded program loses the list of nodes when it rewrites a file with the old names of the lists; this one does not. */
const REASONED: Readonly<Record<string, readonly number[]>> = { 'transcript-local-more.json': [48] }

function transcriptOf(name: string): Transcript {
  return JSON.parse(readFileSync(recordedPath('besu/perm-live', name), 'utf8')) as Transcript
}

describe.each(Object.keys(HIDDEN_FILES))('%s', (name) => {
  const transcript = transcriptOf(name)

  it('has the recorded answers and files', async () => {
    const { about, steps } = transcript
    const files = new MemoryPermissionFiles(steps[0]?.file)
    const { rpc } = await openNode(
      {
        'rpc-profile': 'besu',
        'permissions-accounts-config-file-enabled': true,
        'permissions-nodes-config-file-enabled': true,
        ...(about.e2 === undefined ? {} : { bootnodes: [about.e2] }),
      },
      undefined,
      { permissionFiles: files },
    )
    for (const [i, step] of steps.entries()) {
      if (i === 0) continue
      const hidden = HIDDEN_FILES[name] as Readonly<Record<number, string | undefined>>
      if (step.n in hidden) files.text = hidden[step.n]
      if (step.event?.startsWith('file written by hand') === true) {
        files.text = step.file
        // The reload itself may have been kept out of the visible part.
        if (steps[i + 1]?.request?.method !== 'perm_reloadPermissionsFromFile') {
          await rpc('perm_reloadPermissionsFromFile').catch(() => {})
        }
      } else if (step.file !== undefined && REASONED[name]?.includes(step.n) !== true) {
        expect(files.text, `step ${step.n}`).toBe(step.file)
      } else if (step.request?.method.startsWith('perm_') === true) {
        const { method, params } = step.request
        const answer = await rpc(method, ...params).then(
          (result) => ({ result }),
          ({ code, message }: Error & { code: number }) => ({ error: { code, message } }),
        )
        const { result, error } = step.response ?? {}
        expect(answer, `step ${step.n}`).toEqual(error === undefined ? { result } : { error })
      }
    }
  })
})

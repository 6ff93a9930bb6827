import { expect, it } from 'vitest'
import { eventually } from '../../support/host/eventually.ts'
import { startNode } from '../../support/nodes/program.ts'

it('a fork says of which chain it is, without the path of the address, which may hold a key', async () => {
  const remote = await startNode(['--ephemeral', '--rpc-ws-port=0'])
  await remote.rpc('evm_mine')
  const url = remote.url.replace(/\/$/, '')
  const fork = await startNode(['--ephemeral', '--rpc-ws-port=0', `--fork-url=${url}/?key=s3cret`, '--fork-cache=none'])
  await eventually(() => expect(fork.output()).toContain(`fork of    chain 31337 at block 1, from ${url}\n`))
  expect(fork.output()).not.toContain('s3cret')
  await Promise.all([fork.stop(), remote.stop()])
})

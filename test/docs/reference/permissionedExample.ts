/** The dev chain with allowlists on which the requests of docs/methods/perm.md are executed. */
import { BOB } from '../../support/nodes/devChain.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { MemoryPermissionFiles } from '../../support/private/permissionFiles.ts'
import { emptyChain } from './cliqueExample.ts'
import { type ExampleNode, type Profile, webSocketCall } from './exampleChain.ts'

export const LISTED_NODE = `enode://${'1a'.repeat(64)}@192.0.2.1:30303`

export async function openPermissionedExample(profile: Profile): Promise<ExampleNode> {
  const lists = [`accounts-allowlist=["${BOB.address.toLowerCase()}"]`, `nodes-allowlist=["${LISTED_NODE}"]`]
  const options = {
    'rpc-profile': profile,
    'permissions-accounts-config-file-enabled': true,
    'permissions-nodes-config-file-enabled': true,
  }
  const { node } = await openDevNode(options, undefined, {
    permissionFiles: new MemoryPermissionFiles(lists.join('\n')),
  })
  return { chain: emptyChain(node.chain), call: webSocketCall({ node }), close: () => node.close() }
}

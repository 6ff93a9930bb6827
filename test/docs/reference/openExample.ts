import { openBftExample } from './bftExample.ts'
import { openCliqueExample } from './cliqueExample.ts'
import { type ExampleKind, type ExampleNode, openExampleNode, type Profile } from './exampleChain.ts'
import { openPermissionedExample } from './permissionedExample.ts'
import { openPrivacyExample } from './privacyExample.ts'

/** Opens a new node. @param kind undefined: the dev chain */
export function openExample(kind: ExampleKind | undefined, profile: Profile): Promise<ExampleNode> {
  switch (kind) {
    case undefined:
      return openExampleNode(profile)
    case 'clique':
      return openCliqueExample(profile)
    case 'ibft':
    case 'qbft':
      return openBftExample(kind, profile)
    case 'permissioned':
      return openPermissionedExample(profile)
    case 'privacy':
    case 'flexible':
      return openPrivacyExample(kind, profile)
  }
}

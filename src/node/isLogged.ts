import type { NodeHost } from './host.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** Only the dev chain logs calls and transactions. */
export function isLogged({ activity }: Pick<NodeHost, 'activity'>, { isDev }: Pick<NodeSettings, 'isDev'>): boolean {
  return isDev && activity !== undefined
}

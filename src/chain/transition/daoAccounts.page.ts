let accounts: readonly Uint8Array[] | undefined

export const daoAccounts = (): readonly Uint8Array[] => {
  if (accounts === undefined) throw new Error('the accounts of the DAO fork are not loaded')
  return accounts
}

export async function loadDaoAccounts(): Promise<void> {
  accounts ??= (await import('./daoAccounts.ts')).daoAccounts()
}

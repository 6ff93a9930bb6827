import { expect, it } from 'vitest'
import { chooseGenesis } from '../../../../../adapters/server/data/chooseGenesis.ts'
import { defaultOptions } from '../../../../../src/config/options.ts'

it('refuses a genesis file without end', async () => {
  const options = { ...defaultOptions(true), 'genesis-file': '/dev/zero' }
  const choosing = async () => chooseGenesis(options)
  await expect(choosing).rejects.toThrow('Unable to load genesis file. /dev/zero has more than 268435456 bytes')
})

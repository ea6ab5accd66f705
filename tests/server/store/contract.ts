/**
 * What every store must do, whatever it keeps its rows in: the groups of verbs, each in a file of its
 * own, on a fresh store per test.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newRegistration, noon } from '../registrations.ts'
import { all } from './given.ts'
import type { Given, Opened } from './given.ts'
import { actingContract } from './acting.contract.ts'
import { clockContract } from './clock.contract.ts'
import { decidingContract } from './deciding.contract.ts'
import { listingContract } from './listing.contract.ts'
import { officeContract } from './office.contract.ts'
import { outsideContract } from './outside.contract.ts'
import { peopleContract } from './people.contract.ts'
import { recoveringContract } from './recovering.contract.ts'
import { refundingContract } from './refunding.contract.ts'
import { registeringContract } from './registering.contract.ts'
import { secondPaymentsContract } from './second-payments.contract.ts'
import { sellingContract } from './selling.contract.ts'
import { settlementsContract } from './settlements.contract.ts'
import { settlingContract } from './settling.contract.ts'

export function storeContract(open: () => Promise<Opened>): void {
  let opened: Opened
  beforeEach(async () => {
    opened = await open()
  })
  afterEach(() => opened.end())
  const given: Given = () => opened

  registeringContract(given)
  settlingContract(given)
  clockContract(given)
  sellingContract(given)
  outsideContract(given)
  actingContract(given)
  decidingContract(given)
  refundingContract(given)
  recoveringContract(given)
  secondPaymentsContract(given)
  settlementsContract(given)
  listingContract(given)
  officeContract(given)
  peopleContract(given)

  test('closing answers what was asked before and refuses what comes after', async () => {
    const { store } = opened
    const asked = Array.from({ length: 300 }, () => newRegistration())
    const answers = Promise.all(asked.map((one) => store.register(one)))
    const closed = store.close()
    await expect(store.ping(noon)).rejects.toThrow('closing')
    expect((await answers).every(({ ok }) => ok)).toBe(true)
    await closed
    const again = await opened.reopen()
    expect((await again.listPage(all, 1, 1)).count).toBe(300)
  })
}

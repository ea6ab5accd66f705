/**
 * What every store must do, whatever it keeps its rows in: the groups of verbs, each in a file of its
 * own, on a fresh store per test.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newRegistration, noon } from '../sample-registrations.ts'
import { all } from './contract-setup.ts'
import type { Given, Opened } from './contract-setup.ts'
import { actingContract } from './actions.contract.ts'
import { clockContract } from './clock.contract.ts'
import { decidingContract } from './payment-reviews.contract.ts'
import { listingContract } from './lists.contract.ts'
import { officeContract } from './emails-and-event-files.contract.ts'
import { outsideContract } from './quotas-and-codes.contract.ts'
import { peopleContract } from './staff.contract.ts'
import { recoveringContract } from './recovery.contract.ts'
import { refundingContract } from './refunds.contract.ts'
import { registeringContract } from './register.contract.ts'
import { secondPaymentsContract } from './duplicate-payments.contract.ts'
import { sellingContract } from './seats-and-items.contract.ts'
import { settlementsContract } from './settlements.contract.ts'
import { settlingContract } from './payment-events.contract.ts'

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

  test('closing completes earlier calls and rejects later ones', async () => {
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

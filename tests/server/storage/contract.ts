/**
 * The store contract for every database: its groups are in separate files and run on an empty store
 * per test.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newRegistration, noon } from '../sample-registrations.ts'
import { ALL_REGISTRATIONS } from './contract-setup.ts'
import type { ContractSetup, Opened } from './contract-setup.ts'
import { actionsContract } from './actions.contract.ts'
import { clockContract } from './clock.contract.ts'
import { paymentReviewsContract } from './payment-reviews.contract.ts'
import { earlierRegistrationsContract } from './earlier-registrations.contract.ts'
import { firstPaymentContract } from './first-payment.contract.ts'
import { listsContract } from './lists.contract.ts'
import { emailsAndEventFilesContract } from './emails-and-event-files.contract.ts'
import { quotasAndCodesContract } from './quotas-and-codes.contract.ts'
import { usersContract } from './staff.contract.ts'
import { recoveryContract } from './recovery.contract.ts'
import { disputesContract } from './disputes.contract.ts'
import { refundsContract } from './refunds.contract.ts'
import { reportsContract } from './reports.contract.ts'
import { registerContract } from './register.contract.ts'
import { duplicatePaymentsContract } from './duplicate-payments.contract.ts'
import { seatsAndItemsContract } from './seats-and-items.contract.ts'
import { settlementsContract } from './settlements.contract.ts'
import { paymentEventsContract } from './payment-events.contract.ts'

export function storeContract(open: () => Promise<Opened>): void {
  let setup: Opened
  beforeEach(async () => {
    setup = await open()
  })
  afterEach(() => setup.end())
  const setUp: ContractSetup = () => setup

  registerContract(setUp)
  paymentEventsContract(setUp)
  firstPaymentContract(setUp)
  clockContract(setUp)
  seatsAndItemsContract(setUp)
  quotasAndCodesContract(setUp)
  actionsContract(setUp)
  paymentReviewsContract(setUp)
  refundsContract(setUp)
  disputesContract(setUp)
  reportsContract(setUp)
  recoveryContract(setUp)
  duplicatePaymentsContract(setUp)
  settlementsContract(setUp)
  listsContract(setUp)
  emailsAndEventFilesContract(setUp)
  earlierRegistrationsContract(setUp)
  usersContract(setUp)

  test('closing completes earlier calls and rejects later ones', async () => {
    const { store } = setup
    const registrations = Array.from({ length: 300 }, () => newRegistration())
    const answers = Promise.all(registrations.map((registration) => store.register(registration)))
    const closing = store.close()
    await expect(store.ping(noon)).rejects.toThrow('closing')
    expect((await answers).every(({ ok }) => ok)).toBe(true)
    await closing
    const reopened = await setup.reopen()
    expect((await reopened.listPage(ALL_REGISTRATIONS, 1, 1)).count).toBe(300)
  })
}

/** The store contract, which every database must meet, in groups of tests. Each test gets an empty store. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildRegistration, noon } from '../sample-registrations.ts'
import { ALL_REGISTRATIONS } from './contract-setup.ts'
import type { ContractSetup, ContractStore } from './contract-setup.ts'
import { defineActionsContract } from './actions.contract.ts'
import { defineBankStatementsContract } from './bank-statements.contract.ts'
import { defineClockContract } from './clock.contract.ts'
import { definePaymentReviewsContract } from './payment-reviews.contract.ts'
import { defineEarlierRegistrationsContract } from './earlier-registrations.contract.ts'
import { defineFirstPaymentContract } from './first-payment.contract.ts'
import { defineListsContract } from './lists.contract.ts'
import { defineEmailsAndEventFilesContract } from './emails-and-event-files.contract.ts'
import { defineQuotasAndCodesContract } from './quotas-and-codes.contract.ts'
import { defineUsersContract } from './staff.contract.ts'
import { defineRecoveryContract } from './recovery.contract.ts'
import { defineDisputesContract } from './disputes.contract.ts'
import { defineRefundsContract } from './refunds.contract.ts'
import { defineReportsContract } from './reports.contract.ts'
import { defineRegisterContract } from './register.contract.ts'
import { defineDuplicatePaymentsContract } from './duplicate-payments.contract.ts'
import { defineSeatsAndItemsContract } from './seats-and-items.contract.ts'
import { defineSettlementsContract } from './settlements.contract.ts'
import { definePaymentEventsContract } from './payment-events.contract.ts'

/** Defines the tests of the contract. `open` opens an empty store for one test. */
export function defineStoreContract(open: () => Promise<ContractStore>): void {
  let setup: ContractStore
  beforeEach(async () => {
    setup = await open()
  })
  afterEach(() => setup.end())
  const setUp: ContractSetup = () => setup

  defineRegisterContract(setUp)
  defineReportsContract(setUp)
  defineListsContract(setUp)
  definePaymentEventsContract(setUp)
  defineFirstPaymentContract(setUp)
  defineClockContract(setUp)
  defineSeatsAndItemsContract(setUp)
  defineQuotasAndCodesContract(setUp)
  defineActionsContract(setUp)
  definePaymentReviewsContract(setUp)
  defineRefundsContract(setUp)
  defineDisputesContract(setUp)
  defineRecoveryContract(setUp)
  defineDuplicatePaymentsContract(setUp)
  defineSettlementsContract(setUp)
  defineBankStatementsContract(setUp)
  defineEmailsAndEventFilesContract(setUp)
  defineEarlierRegistrationsContract(setUp)
  defineUsersContract(setUp)

  test('closing completes earlier calls and rejects later ones', async () => {
    const { store } = setup
    const registrations = Array.from({ length: 300 }, () => buildRegistration())
    const results = Promise.all(registrations.map((registration) => store.register(registration)))
    const closing = store.close()
    await expect(store.ping(noon)).rejects.toThrow('closing')
    expect((await results).every(({ ok }) => ok)).toBe(true)
    await closing
    const reopened = await setup.reopen()
    expect((await reopened.listPage(ALL_REGISTRATIONS, 1, 1)).count).toBe(300)
  })
}

/** The staff pages after a restore: the recovery page, its dialog, and a payment for an unknown order. */
import type { Page } from 'playwright-core'
import { instant, toAmount, readInstant } from '../../engine/index.ts'
import { openStore } from '../../server/storage/open-store.ts'
import { openSignedIn } from './session.ts'
import { NOW } from './state.ts'
import type { PictureServer, PictureState } from './state.ts'

export const listRecoveryStates = (server: PictureServer): readonly PictureState[] => {
  const openSignedInPage = openSignedIn(server)
  /** Puts the server in recovery only while `openPage` runs, because other pictures must not show a recovery. */
  const performDuringRecovery = async (openPage: () => Promise<void>): Promise<void> => {
    const store = await openStore({ dataDir: server.dataDir })
    try {
      const restoredAt = readInstant(NOW) ?? instant(0)
      const reason = 'The database was restored from a backup made on 11 January 2026, 2:00 am.'
      const copyAt = instant(restoredAt - 34 * 3_600_000)
      const recoveryState = {
        at: restoredAt,
        who: 'rollcall',
        why: reason,
        copyAt,
        servedAt: null,
        taken: [],
      }
      await store.beginRecovery(recoveryState, null)
      await store.reviewUnknownPayment({
        orderId: 'AFPI990000000012',
        eventId: 'letters2027',
        source: 'airpay',
        account: 'afpi',
        payer: {
          name: 'Dr. Example Payer',
          email: 'a.payer.with.a.long.address@example.org',
          phone: '+91 98765 43210',
          way: 'UPI, example@okbank',
        },
        refunded: toAmount(0),
        // The page lists the oldest payment first.
        at: instant(restoredAt - 300 * 24 * 3_600_000),
        money: [
          {
            reference: '900000077',
            amount: toAmount(708_000),
            currency: 'INR',
            kind: 'sale',
            paidAt: instant(restoredAt - 3_600_000),
          },
        ],
      })
      await openPage()
    } finally {
      await store.endRecovery({ at: readInstant(NOW) ?? instant(0), who: 'admin', mails: 'send' })
      await store.close()
    }
  }
  const openRecovery = async (page: Page): Promise<void> => {
    await openSignedInPage('/admin/system/recovery')(page)
    await page.getByText('In recovery since').waitFor()
  }
  return [
    { name: 'office-recovery', open: (page) => performDuringRecovery(() => openRecovery(page)) },
    {
      name: 'office-recovery-ending',
      open: (page) =>
        performDuringRecovery(async () => {
          await openRecovery(page)
          await page.getByRole('button', { name: 'End recovery' }).click()
          await page.getByRole('dialog').waitFor()
        }),
    },
    {
      name: 'office-recovery-banner',
      open: (page) =>
        performDuringRecovery(async () => {
          await openSignedInPage('/admin/search')(page)
          await page.getByText('Go to Recovery').waitFor()
        }),
    },
    {
      name: 'office-recovery-money',
      open: (page) =>
        performDuringRecovery(async () => {
          await openSignedInPage('/admin/payments?tab=review&event=letters2027')(page)
          await page.getByText('AFPI990000000012').waitFor()
        }),
    },
    {
      name: 'office-recovery-ended',
      open: async (page) => {
        await openSignedInPage('/admin/system/recovery')(page)
        await page.getByText('is not in recovery').waitFor()
      },
    },
  ]
}

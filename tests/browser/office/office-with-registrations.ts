/** Starts an office with one user and 130 registrations for one event. */
import { startTestApp } from '../../server/harness.ts'
import type { TestApp } from '../../server/harness.ts'
import { hashCheaply, PASSWORD, toNoon, register } from '../../server/office/office.ts'

export const EVENT = 'afpicon2026'
export const START_TIME = '2025-10-10T16:00:00+05:30'

/**
 * Starts the office. Half of the registrations are paid, and the payments of a quarter failed. The username is
 * `office`.
 */
export async function startOfficeWithRegistrations(): Promise<TestApp> {
  const server = await startTestApp({ clock: START_TIME })
  await server.deps.store.addAdmin('office', await hashCheaply(PASSWORD), server.now())
  const categories = [
    'afpi-gp-specialist',
    'non-afpi-gp-specialist',
    'afpi-pg',
    'non-afpi-pg',
    'intern-mbbs-accompanying',
  ]
  for (let n = 1; n <= 130; n += 1) {
    await register(server, EVENT, {
      n,
      on: toNoon(n <= 60 ? '2025-10-08' : n <= 125 ? '2025-10-09' : '2025-10-10', n),
      answers: {
        full_name: `Dr. Example ${String(n).padStart(3, '0')}`,
        email: `example${n}@example.org`,
        phone_number: '+919800000000',
        ticket_type: categories[n % 5] ?? '',
        afpi_member: n % 3 === 0,
        ...(n % 3 === 0 && { afpi_membership_number: `EXAMPLE-${n}` }),
      },
      ...(n % 4 < 2
        ? { pays: 'success' as const }
        : n % 4 === 2
          ? { pays: 'failed' as const }
          : {}),
    })
  }
  return server
}

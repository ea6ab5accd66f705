/** Checks that the gateways can be reached, and that their clocks agree with the clock of this machine. */
import { listGatewayAccounts, type EventConfig } from '../../../engine/index.ts'
import { createClock } from '../../ops/clock.ts'
import type { Environment } from '../../dependencies.ts'
import { reportCheck, reportGood, reportWrong, type Finding } from './finding.ts'

/** The gateway's checksums contain the date, which is wrong around midnight if the clocks differ by more than this. */
const MAX_CLOCK_SECONDS = 60
const MAX_GATEWAY_MS = 10_000

/** Sends one request to each gateway of the events, for at most ten seconds. */
export async function checkGateway(
  { gatewayMode, clockStart, databaseUrl }: Environment,
  events: readonly EventConfig[],
): Promise<readonly Finding[]> {
  if (gatewayMode === 'sandbox')
    return [
      reportGood('The gateway is the built-in sandbox: no real money.'),
      ...(databaseUrl === null
        ? []
        : [
            reportCheck(
              'Each server has its own sandbox. Run several servers only with a real gateway.',
            ),
          ]),
    ]
  const addresses = new Set(
    events.flatMap((event) => listGatewayAccounts(event).map(({ gateway }) => gateway.live.status)),
  )
  return Promise.all(
    [...addresses].map(async (address) => {
      const { host } = new URL(address)
      try {
        const { headers } = await fetch(address, {
          method: 'HEAD',
          signal: AbortSignal.timeout(MAX_GATEWAY_MS),
        })
        const gatewayTime = Date.parse(headers.get('date') ?? '')
        const seconds = Math.round(Math.abs(createClock(clockStart)() - gatewayTime) / 1000)
        if (Number.isNaN(gatewayTime))
          return reportGood(`The gateway at ${host} is reachable; it did not send its time.`)
        return seconds <= MAX_CLOCK_SECONDS
          ? reportGood(
              `The gateway at ${host} is reachable, and its clock agrees with the clock of this machine.`,
            )
          : reportWrong(
              `The clocks of this machine and of the gateway at ${host} differ by ${seconds} seconds. Check the time service (NTP).`,
            )
      } catch {
        return reportWrong(
          `The gateway at ${host} is unreachable. Check the network and the firewall of this machine.`,
        )
      }
    }),
  )
}

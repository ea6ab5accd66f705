/** Writes the registration section of a new event: the dates on which the form and the front desk are open. */
import type { Day } from '../../../../lib/time.ts'
import type { RegistrationWindow } from '../price-periods.ts'
import { appendComment } from '../yaml-text.ts'

/** Returns the lines of the section. Returns no lines if registration is open from now until the conference ends. */
export function formatRegistrationWindow(
  opens: Day | undefined,
  { closes, desk }: RegistrationWindow,
  /** The last day for bank transfers, which need time to arrive. Null if the event has no bank transfers. */
  transfersUntil: Day | null,
): readonly string[] {
  const lines = [
    ...(opens === undefined ? [] : [`  opens: ${opens}`]),
    ...(transfersUntil !== null
      ? [
          closes === null || transfersUntil < closes
            ? appendComment(
                `  closes: ${transfersUntil}`,
                'a later transfer would not arrive in time',
              )
            : `  closes: ${transfersUntil}`,
        ]
      : closes === null
        ? []
        : [`  closes: ${closes}`]),
    ...(desk === null
      ? []
      : [
          appendComment(
            `  desk: {opens: ${desk.first}, closes: ${desk.last}}`,
            'on these days, staff register delegates',
          ),
        ]),
  ]
  return lines.length === 0 ? [] : ['', 'registration:', ...lines]
}

/** The documents and answers to review for an approval, and the category offered with a refusal. */
import type { ActionsResponse } from '../../../../engine/api.ts'
import { readResponseCurrency } from '../../../app/response-currency.ts'
import { formatResponsePrice } from '../../ui/format-amount.ts'
import { Icon } from '../../../ui/icons-and-logo.tsx'

/** Shows the documents and answers to review. `canOffer` is true for a refusal, which may offer another category. */
export function ApprovalDetails({
  approval,
  canOffer,
}: Pick<ActionsResponse, 'approval'> & { readonly canOffer: boolean }) {
  if (approval === null) return null
  const { look_at: files, offer, total } = approval
  return (
    <>
      <ul className="files">
        {files.map(({ id, label, name, href }) => (
          <li key={id}>
            {label}:{' '}
            {href === null ? (
              'not uploaded'
            ) : (
              <a href={href} download>
                <Icon name="file" small /> {name}
              </a>
            )}
          </li>
        ))}
      </ul>
      {!canOffer && total !== null && (
        <p>
          {total === 0
            ? 'This registration is free. Approval completes the registration.'
            : `The delegate gets an email with a link to pay ${formatResponsePrice(total, readResponseCurrency(approval))}.`}
        </p>
      )}
      {canOffer && offer !== null && (
        <div className="ticks">
          <label>
            <input type="checkbox" name="offer" defaultChecked />
            <span>
              Offer {offer.label} for{' '}
              {formatResponsePrice(offer.total, readResponseCurrency(offer))} instead
            </span>
          </label>
        </div>
      )}
    </>
  )
}

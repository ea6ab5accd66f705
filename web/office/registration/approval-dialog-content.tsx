/** The documents and answers to review for an approval, and the category offered with a refusal. */
import { INR, formatPrice, fromRupees } from '../../../engine/index.ts'
import type { ActionsAnswer } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

/** `canOffer` is true for a refusal, which may offer another category. */
export function ApprovalDetails({
  approval,
  canOffer,
}: Pick<ActionsAnswer, 'approval'> & { readonly canOffer: boolean }) {
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
            ? 'This registration is free. Approving it completes it.'
            : `The delegate gets an email with a link to pay ${formatFee(total)}.`}
        </p>
      )}
      {canOffer && offer !== null && (
        <div className="ticks">
          <label>
            <input type="checkbox" name="offer" defaultChecked />
            <span>
              Offer {offer.label} for {formatFee(offer.total)} instead
            </span>
          </label>
        </div>
      )}
    </>
  )
}

const formatFee = (amount: number): string => {
  const paise = fromRupees(amount, INR)
  return paise === null ? '' : formatPrice(paise, INR)
}

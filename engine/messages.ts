/** Entry point: texts of pages, errors, documents and emails, with their formatting. */
export { COMMON_MESSAGES } from './text-catalogue/header-footer-and-bill.ts'
export { CONNECTION_ERROR_MESSAGES } from './text-catalogue/connection-errors.ts'
export { DOCUMENT_MESSAGES } from './text-catalogue/documents.ts'
export { EMAIL_MESSAGES } from './text-catalogue/email-texts.ts'
export { EVENT_PAGE_MESSAGES } from './text-catalogue/event-page.ts'
export { EVIDENCE_MESSAGES } from './text-catalogue/evidence.ts'
export { EXTENDED_FORM_MESSAGES } from './text-catalogue/form-with-items-and-codes.ts'
export { formatFileTypes } from './messages/format-file-types.ts'
export { UPLOAD_MESSAGES, UPLOAD_REFUSAL_MESSAGES } from './text-catalogue/file-uploads.ts'
export { FEE_TABLE_MESSAGES } from './text-catalogue/fee-table.ts'
export { FORM_PRICE_MESSAGES } from './text-catalogue/form-price.ts'
export { FORM_MESSAGES } from './text-catalogue/form.ts'
export { LANDING_MESSAGES } from './text-catalogue/landing-page.ts'
export { PAYMENT_METHOD_MESSAGES } from './text-catalogue/payment-methods.ts'
export { SERVER_MESSAGES } from './text-catalogue/server-messages.ts'
export { RESULT_MESSAGES } from './text-catalogue/result-pages.ts'
export { SELF_SERVICE_MESSAGES } from './text-catalogue/self-service.ts'
export { VALIDATION_MESSAGES } from './text-catalogue/validation.ts'
export { SERVER_PAGE_MESSAGES } from './text-catalogue/server-pages.ts'
export { formatMessage, selectPluralForm, type ValueNames } from './lib/format-message.ts'
export {
  buildCancelledEmail,
  buildCorrectedEmail,
  buildInvoiceEmail,
  buildMoreToPayEmail,
  buildRefundedEmail,
  buildTransferredEmail,
  buildPayLinkEmail,
  buildTransferredToYouEmail,
} from './messages/build-office-action-emails.ts'
export {
  buildAlreadyRegisteredEmail,
  buildSamePersonEmail,
} from './messages/build-already-registered-email.ts'
export {
  buildApprovedEmail,
  buildOfferAcceptedEmail,
  buildNotApprovedEmail,
  buildWaitingForApprovalEmail,
} from './messages/build-approval-emails.ts'
export { addSecondPaymentNotice } from './messages/build-duplicate-payment-email.ts'
export { readLinkPlaceholder, buildLostLinkEmail } from './messages/build-lost-link-email.ts'
export {
  LOST_LINK_PLACEHOLDER,
  buildEmailLimitReachedEmail,
} from './messages/build-email-limit-reached-email.ts'
export {
  buildExpiredEmail,
  buildClaimRejectedEmail,
  buildReopenedEmail,
  buildClaimReceivedEmail,
  buildPaymentInstructionsEmail,
} from './messages/build-manual-payment-emails.ts'
export {
  readRegistration,
  getTransactionId,
  getPlaceholderValues,
  type RegistrationView,
} from './messages/placeholder-values.ts'
export {
  QR_CODE_OPTIONS,
  buildConfirmationEmail,
  getDisplayableOrderId,
  buildReceiptFile,
  buildResultRows,
  getResultValues,
  statesNoCharge,
  type ResultRow,
} from './messages/build-result-pages-and-confirmation.ts'
export {
  LINK_PLACEHOLDER,
  buildPaymentReminderEmail,
} from './messages/build-payment-reminder-email.ts'

/** The usual time zone of the market that the service is for: an IANA name. */
export const MARKET_TIME_ZONE = 'Africa/Addis_Ababa';

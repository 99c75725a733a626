import { signReceivedXml } from "./src/signing";
import { verifyByReference } from "./test/signing/reference";
import { anIdentity } from "./test/signing/samples";
const id=await anIdentity(); const signedAt=new Date("2026-11-20T14:20:00.121Z");
const XSI='xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"', XSD='xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
for (const [n,h] of Object.entries({none:"",xsd:` ${XSD}`,both:` ${XSD} ${XSI}`,rev:` ${XSI} ${XSD}`,lang:` xml:lang="es"`,zz:` xmlns:zz="urn:z" ${XSD}`}))
 for (const profile of ["xmldsig","xades-bes"] as const){
  const b=signReceivedXml(`<S${h}><valor>x</valor></S>`,id,{profile,signedAt});
  await Bun.write(`/tmp/sgn/s-${n}-${profile}.xml`,b);
  let r; try{r=await verifyByReference(b,id.certificateDer)}catch(e){r=String(e).slice(0,80)}
  console.log(n,profile,r);
 }

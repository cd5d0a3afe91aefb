-- Searching in SQL: search('vacuum "full table"', 10); what its parts find; statistics of queries; the role that searches.
-- Locks stat while its index is made (a minute for ten million queries), else nothing; no table is rewritten; no re-index needed.

-- +goose Up

-- The words of a text, as package document cuts them. The ranges are those of Unicode 15 that document has from Go; so no locale
-- decides, and every server cuts alike.

-- +goose StatementBegin
CREATE FUNCTION character_classes(txt text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
BEGIN
    IF octet_length(txt) = char_length(txt) THEN
        RETURN regexp_replace(regexp_replace(txt, '[a-zA-Z0-9]', 'l', 'g'), '[^l]', 'n', 'g');
    END IF;
    RETURN (
        SELECT string_agg(CASE
            WHEN c.code < 128 THEN
                CASE WHEN c.code BETWEEN 97 AND 122 OR c.code BETWEEN 48 AND 57 OR c.code BETWEEN 65 AND 90 THEN 'l' ELSE 'n' END
            WHEN c.code <@ '{[48,57],[65,90],[97,122],[170,170],[181,181],[186,186],[192,214],[216,246],[248,705],[710,721],[736,740],[748,748],
                [750,750],[880,884],[886,887],[890,893],[895,895],[902,902],[904,906],[908,908],[910,929],[931,1013],[1015,1153],
                [1162,1327],[1329,1366],[1369,1369],[1376,1416],[1488,1514],[1519,1522],[1568,1610],[1632,1641],[1646,1647],
                [1649,1747],[1749,1749],[1765,1766],[1774,1788],[1791,1791],[1808,1808],[1810,1839],[1869,1957],[1969,1969],
                [1984,2026],[2036,2037],[2042,2042],[2048,2069],[2074,2074],[2084,2084],[2088,2088],[2112,2136],[2144,2154],
                [2160,2183],[2185,2190],[2208,2249],[2308,2361],[2365,2365],[2384,2384],[2392,2401],[2406,2415],[2417,2432],
                [2437,2444],[2447,2448],[2451,2472],[2474,2480],[2482,2482],[2486,2489],[2493,2493],[2510,2510],[2524,2525],
                [2527,2529],[2534,2545],[2556,2556],[2565,2570],[2575,2576],[2579,2600],[2602,2608],[2610,2611],[2613,2614],
                [2616,2617],[2649,2652],[2654,2654],[2662,2671],[2674,2676],[2693,2701],[2703,2705],[2707,2728],[2730,2736],
                [2738,2739],[2741,2745],[2749,2749],[2768,2768],[2784,2785],[2790,2799],[2809,2809],[2821,2828],[2831,2832],
                [2835,2856],[2858,2864],[2866,2867],[2869,2873],[2877,2877],[2908,2909],[2911,2913],[2918,2927],[2929,2929],
                [2947,2947],[2949,2954],[2958,2960],[2962,2965],[2969,2970],[2972,2972],[2974,2975],[2979,2980],[2984,2986],
                [2990,3001],[3024,3024],[3046,3055],[3077,3084],[3086,3088],[3090,3112],[3114,3129],[3133,3133],[3160,3162],
                [3165,3165],[3168,3169],[3174,3183],[3200,3200],[3205,3212],[3214,3216],[3218,3240],[3242,3251],[3253,3257],
                [3261,3261],[3293,3294],[3296,3297],[3302,3311],[3313,3314],[3332,3340],[3342,3344],[3346,3386],[3389,3389],
                [3406,3406],[3412,3414],[3423,3425],[3430,3439],[3450,3455],[3461,3478],[3482,3505],[3507,3515],[3517,3517],
                [3520,3526],[3558,3567],[3713,3714],[3716,3716],[3718,3722],[3724,3747],[3749,3749],[3751,3760],[3762,3763],
                [3773,3773],[3776,3780],[3782,3782],[3792,3801],[3804,3807],[3840,3840],[3872,3881],[3904,3911],[3913,3948],
                [3976,3980],[4096,4138],[4159,4169],[4176,4181],[4186,4189],[4193,4193],[4197,4198],[4206,4208],[4213,4225],
                [4238,4238],[4240,4249],[4256,4293],[4295,4295],[4301,4301],[4304,4346],[4348,4680],[4682,4685],[4688,4694],
                [4696,4696],[4698,4701],[4704,4744],[4746,4749],[4752,4784],[4786,4789],[4792,4798],[4800,4800],[4802,4805],
                [4808,4822],[4824,4880],[4882,4885],[4888,4954],[4992,5007],[5024,5109],[5112,5117],[5121,5740],[5743,5759],
                [5761,5786],[5792,5866],[5873,5880],[5888,5905],[5919,5937],[5952,5969],[5984,5996],[5998,6000],[6016,6067],
                [6103,6103],[6108,6108],[6112,6121],[6160,6169],[6176,6264],[6272,6276],[6279,6312],[6314,6314],[6320,6389],
                [6400,6430],[6470,6509],[6512,6516],[6528,6571],[6576,6601],[6608,6617],[6656,6678],[6688,6740],[6784,6793],
                [6800,6809],[6823,6823],[6917,6963],[6981,6988],[6992,7001],[7043,7072],[7086,7141],[7168,7203],[7232,7241],
                [7245,7293],[7296,7304],[7312,7354],[7357,7359],[7401,7404],[7406,7411],[7413,7414],[7418,7418],[7424,7615],
                [7680,7957],[7960,7965],[7968,8005],[8008,8013],[8016,8023],[8025,8025],[8027,8027],[8029,8029],[8031,8061],
                [8064,8116],[8118,8124],[8126,8126],[8130,8132],[8134,8140],[8144,8147],[8150,8155],[8160,8172],[8178,8180],
                [8182,8188],[8305,8305],[8319,8319],[8336,8348],[8450,8450],[8455,8455],[8458,8467],[8469,8469],[8473,8477],
                [8484,8484],[8486,8486],[8488,8488],[8490,8493],[8495,8505],[8508,8511],[8517,8521],[8526,8526],[8579,8580],
                [11264,11492],[11499,11502],[11506,11507],[11520,11557],[11559,11559],[11565,11565],[11568,11623],[11631,11631],
                [11648,11670],[11680,11686],[11688,11694],[11696,11702],[11704,11710],[11712,11718],[11720,11726],[11728,11734],
                [11736,11742],[11823,11823],[12348,12348],[12549,12591],[12593,12686],[12704,12735],[40960,42124],[42192,42237],
                [42240,42508],[42512,42539],[42560,42606],[42623,42653],[42656,42725],[42775,42783],[42786,42888],[42891,42954],
                [42960,42961],[42963,42963],[42965,42969],[42994,43009],[43011,43013],[43015,43018],[43020,43042],[43072,43123],
                [43138,43187],[43216,43225],[43250,43255],[43259,43259],[43261,43262],[43264,43301],[43312,43334],[43360,43388],
                [43396,43442],[43471,43481],[43488,43492],[43494,43518],[43520,43560],[43584,43586],[43588,43595],[43600,43609],
                [43616,43638],[43642,43642],[43646,43695],[43697,43697],[43701,43702],[43705,43709],[43712,43712],[43714,43714],
                [43739,43741],[43744,43754],[43762,43764],[43777,43782],[43785,43790],[43793,43798],[43808,43814],[43816,43822],
                [43824,43866],[43868,43881],[43888,44002],[44016,44025],[44032,55203],[55216,55238],[55243,55291],[64256,64262],
                [64275,64279],[64285,64285],[64287,64296],[64298,64310],[64312,64316],[64318,64318],[64320,64321],[64323,64324],
                [64326,64433],[64467,64829],[64848,64911],[64914,64967],[65008,65019],[65136,65140],[65142,65276],[65296,65305],
                [65313,65338],[65345,65370],[65440,65470],[65474,65479],[65482,65487],[65490,65495],[65498,65500],[65536,65547],
                [65549,65574],[65576,65594],[65596,65597],[65599,65613],[65616,65629],[65664,65786],[66176,66204],[66208,66256],
                [66304,66335],[66349,66368],[66370,66377],[66384,66421],[66432,66461],[66464,66499],[66504,66511],[66560,66717],
                [66720,66729],[66736,66771],[66776,66811],[66816,66855],[66864,66915],[66928,66938],[66940,66954],[66956,66962],
                [66964,66965],[66967,66977],[66979,66993],[66995,67001],[67003,67004],[67072,67382],[67392,67413],[67424,67431],
                [67456,67461],[67463,67504],[67506,67514],[67584,67589],[67592,67592],[67594,67637],[67639,67640],[67644,67644],
                [67647,67669],[67680,67702],[67712,67742],[67808,67826],[67828,67829],[67840,67861],[67872,67897],[67968,68023],
                [68030,68031],[68096,68096],[68112,68115],[68117,68119],[68121,68149],[68192,68220],[68224,68252],[68288,68295],
                [68297,68324],[68352,68405],[68416,68437],[68448,68466],[68480,68497],[68608,68680],[68736,68786],[68800,68850],
                [68864,68899],[68912,68921],[69248,69289],[69296,69297],[69376,69404],[69415,69415],[69424,69445],[69488,69505],
                [69552,69572],[69600,69622],[69635,69687],[69734,69743],[69745,69746],[69749,69749],[69763,69807],[69840,69864],
                [69872,69881],[69891,69926],[69942,69951],[69956,69956],[69959,69959],[69968,70002],[70006,70006],[70019,70066],
                [70081,70084],[70096,70106],[70108,70108],[70144,70161],[70163,70187],[70207,70208],[70272,70278],[70280,70280],
                [70282,70285],[70287,70301],[70303,70312],[70320,70366],[70384,70393],[70405,70412],[70415,70416],[70419,70440],
                [70442,70448],[70450,70451],[70453,70457],[70461,70461],[70480,70480],[70493,70497],[70656,70708],[70727,70730],
                [70736,70745],[70751,70753],[70784,70831],[70852,70853],[70855,70855],[70864,70873],[71040,71086],[71128,71131],
                [71168,71215],[71236,71236],[71248,71257],[71296,71338],[71352,71352],[71360,71369],[71424,71450],[71472,71481],
                [71488,71494],[71680,71723],[71840,71913],[71935,71942],[71945,71945],[71948,71955],[71957,71958],[71960,71983],
                [71999,71999],[72001,72001],[72016,72025],[72096,72103],[72106,72144],[72161,72161],[72163,72163],[72192,72192],
                [72203,72242],[72250,72250],[72272,72272],[72284,72329],[72349,72349],[72368,72440],[72704,72712],[72714,72750],
                [72768,72768],[72784,72793],[72818,72847],[72960,72966],[72968,72969],[72971,73008],[73030,73030],[73040,73049],
                [73056,73061],[73063,73064],[73066,73097],[73112,73112],[73120,73129],[73440,73458],[73474,73474],[73476,73488],
                [73490,73523],[73552,73561],[73648,73648],[73728,74649],[74880,75075],[77712,77808],[77824,78895],[78913,78918],
                [82944,83526],[92160,92728],[92736,92766],[92768,92777],[92784,92862],[92864,92873],[92880,92909],[92928,92975],
                [92992,92995],[93008,93017],[93027,93047],[93053,93071],[93760,93823],[93952,94026],[94032,94032],[94099,94111],
                [94176,94177],[94208,100343],[100352,101589],[101632,101640],[110960,111355],[113664,113770],[113776,113788],
                [113792,113800],[113808,113817],[119808,119892],[119894,119964],[119966,119967],[119970,119970],[119973,119974],
                [119977,119980],[119982,119993],[119995,119995],[119997,120003],[120005,120069],[120071,120074],[120077,120084],
                [120086,120092],[120094,120121],[120123,120126],[120128,120132],[120134,120134],[120138,120144],[120146,120485],
                [120488,120512],[120514,120538],[120540,120570],[120572,120596],[120598,120628],[120630,120654],[120656,120686],
                [120688,120712],[120714,120744],[120746,120770],[120772,120779],[120782,120831],[122624,122654],[122661,122666],
                [122928,122989],[123136,123180],[123191,123197],[123200,123209],[123214,123214],[123536,123565],[123584,123627],
                [123632,123641],[124112,124139],[124144,124153],[124896,124902],[124904,124907],[124909,124910],[124912,124926],
                [124928,125124],[125184,125251],[125259,125259],[125264,125273],[126464,126467],[126469,126495],[126497,126498],
                [126500,126500],[126503,126503],[126505,126514],[126516,126519],[126521,126521],[126523,126523],[126530,126530],
                [126535,126535],[126537,126537],[126539,126539],[126541,126543],[126545,126546],[126548,126548],[126551,126551],
                [126553,126553],[126555,126555],[126557,126557],[126559,126559],[126561,126562],[126564,126564],[126567,126570],
                [126572,126578],[126580,126583],[126585,126588],[126590,126590],[126592,126601],[126603,126619],[126625,126627],
                [126629,126633],[126635,126651],[130032,130041]}'::int4multirange THEN 'l'
            WHEN c.code <@ '{[12293,12294],[12347,12347],[13312,19903],[19968,40959],[63744,64109],[64112,64217],[94179,94179],[131072,173791],
                [173824,177977],[177984,178205],[178208,183969],[183984,191456],[194560,195101],[196608,201546],[201552,205743]}'::int4multirange THEN 'h'
            WHEN c.code <@ '{[12337,12341],[12353,12438],[12445,12447],[12449,12538],[12540,12543],[12784,12799],[65382,65439],[110576,110579],
                [110581,110587],[110589,110590],[110592,110882],[110898,110898],[110928,110930],[110933,110933],[110948,110951]}'::int4multirange THEN 'k'
            WHEN c.code <@ '{[3585,3632],[3634,3635],[3648,3654],[3664,3673]}'::int4multirange THEN 't'
            WHEN c.code <@ '{[768,879],[1155,1161],[1425,1469],[1471,1471],[1473,1474],[1476,1477],[1479,1479],[1552,1562],[1611,1631],[1648,1648],
                [1750,1756],[1759,1764],[1767,1768],[1770,1773],[1809,1809],[1840,1866],[1958,1968],[2027,2035],[2045,2045],
                [2070,2073],[2075,2083],[2085,2087],[2089,2093],[2137,2139],[2200,2207],[2250,2273],[2275,2307],[2362,2364],
                [2366,2383],[2385,2391],[2402,2403],[2433,2435],[2492,2492],[2494,2500],[2503,2504],[2507,2509],[2519,2519],
                [2530,2531],[2558,2558],[2561,2563],[2620,2620],[2622,2626],[2631,2632],[2635,2637],[2641,2641],[2672,2673],
                [2677,2677],[2689,2691],[2748,2748],[2750,2757],[2759,2761],[2763,2765],[2786,2787],[2810,2815],[2817,2819],
                [2876,2876],[2878,2884],[2887,2888],[2891,2893],[2901,2903],[2914,2915],[2946,2946],[3006,3010],[3014,3016],
                [3018,3021],[3031,3031],[3072,3076],[3132,3132],[3134,3140],[3142,3144],[3146,3149],[3157,3158],[3170,3171],
                [3201,3203],[3260,3260],[3262,3268],[3270,3272],[3274,3277],[3285,3286],[3298,3299],[3315,3315],[3328,3331],
                [3387,3388],[3390,3396],[3398,3400],[3402,3405],[3415,3415],[3426,3427],[3457,3459],[3530,3530],[3535,3540],
                [3542,3542],[3544,3551],[3570,3571],[3633,3633],[3636,3642],[3655,3662],[3761,3761],[3764,3772],[3784,3790],
                [3864,3865],[3893,3893],[3895,3895],[3897,3897],[3902,3903],[3953,3972],[3974,3975],[3981,3991],[3993,4028],
                [4038,4038],[4139,4158],[4182,4185],[4190,4192],[4194,4196],[4199,4205],[4209,4212],[4226,4237],[4239,4239],
                [4250,4253],[4957,4959],[5906,5909],[5938,5940],[5970,5971],[6002,6003],[6068,6099],[6109,6109],[6155,6157],
                [6159,6159],[6277,6278],[6313,6313],[6432,6443],[6448,6459],[6679,6683],[6741,6750],[6752,6780],[6783,6783],
                [6832,6862],[6912,6916],[6964,6980],[7019,7027],[7040,7042],[7073,7085],[7142,7155],[7204,7223],[7376,7378],
                [7380,7400],[7405,7405],[7412,7412],[7415,7417],[7616,7679],[8400,8432],[11503,11505],[11647,11647],[11744,11775],
                [12330,12335],[12441,12442],[42607,42610],[42612,42621],[42654,42655],[42736,42737],[43010,43010],[43014,43014],
                [43019,43019],[43043,43047],[43052,43052],[43136,43137],[43188,43205],[43232,43249],[43263,43263],[43302,43309],
                [43335,43347],[43392,43395],[43443,43456],[43493,43493],[43561,43574],[43587,43587],[43596,43597],[43643,43645],
                [43696,43696],[43698,43700],[43703,43704],[43710,43711],[43713,43713],[43755,43759],[43765,43766],[44003,44010],
                [44012,44013],[64286,64286],[65024,65039],[65056,65071],[66045,66045],[66272,66272],[66422,66426],[68097,68099],
                [68101,68102],[68108,68111],[68152,68154],[68159,68159],[68325,68326],[68900,68903],[69291,69292],[69373,69375],
                [69446,69456],[69506,69509],[69632,69634],[69688,69702],[69744,69744],[69747,69748],[69759,69762],[69808,69818],
                [69826,69826],[69888,69890],[69927,69940],[69957,69958],[70003,70003],[70016,70018],[70067,70080],[70089,70092],
                [70094,70095],[70188,70199],[70206,70206],[70209,70209],[70367,70378],[70400,70403],[70459,70460],[70462,70468],
                [70471,70472],[70475,70477],[70487,70487],[70498,70499],[70502,70508],[70512,70516],[70709,70726],[70750,70750],
                [70832,70851],[71087,71093],[71096,71104],[71132,71133],[71216,71232],[71339,71351],[71453,71467],[71724,71738],
                [71984,71989],[71991,71992],[71995,71998],[72000,72000],[72002,72003],[72145,72151],[72154,72160],[72164,72164],
                [72193,72202],[72243,72249],[72251,72254],[72263,72263],[72273,72283],[72330,72345],[72751,72758],[72760,72767],
                [72850,72871],[72873,72886],[73009,73014],[73018,73018],[73020,73021],[73023,73029],[73031,73031],[73098,73102],
                [73104,73105],[73107,73111],[73459,73462],[73472,73473],[73475,73475],[73524,73530],[73534,73538],[78912,78912],
                [78919,78933],[92912,92916],[92976,92982],[94031,94031],[94033,94087],[94095,94098],[94180,94180],[94192,94193],
                [113821,113822],[118528,118573],[118576,118598],[119141,119145],[119149,119154],[119163,119170],[119173,119179],
                [119210,119213],[119362,119364],[121344,121398],[121403,121452],[121461,121461],[121476,121476],[121499,121503],
                [121505,121519],[122880,122886],[122888,122904],[122907,122913],[122915,122916],[122918,122922],[123023,123023],
                [123184,123190],[123566,123566],[123628,123631],[124140,124143],[125136,125142],[125252,125258],[917760,917999]}'::int4multirange THEN 'm'
            ELSE 'n' END, '' ORDER BY c.n)
        FROM (SELECT ascii(s.c) AS code, s.n FROM string_to_table(txt, NULL) WITH ORDINALITY s (c, n)) c);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION character_classes(text) IS
    'For each character of a text what it is to the word rules: l letter or digit of a script with blanks, h Han, k kana, t Thai, m mark, n none of these.';

-- +goose StatementBegin
CREATE FUNCTION fold_word(run text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    upper_case CONSTANT text := 'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤ'
        || 'ĦĨĪĬĮİĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲ'
        || 'ƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌ'
        || 'ɎͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏА'
        || 'БВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾ'
        || 'ӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃ'
        || 'ՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯ'
        || 'ᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲐᲑᲒᲓᲔ'
        || 'ᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂ'
        || 'ṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠ'
        || 'ỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛ'
        || 'ᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇ'
        || 'ⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆ'
        || 'ⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄ'
        || 'ꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭ'
        || 'ꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚'
        || '𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊'
        || '𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮'
        || '𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙'
        || '𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡';
    lower_case CONSTANT text := 'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥ'
        || 'ħĩīĭįiĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋ'
        || 'ƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍ'
        || 'ɏͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџа'
        || 'бвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿ'
        || 'ӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճ'
        || 'մյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿ'
        || 'ꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽაბგდე'
        || 'ვზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃ'
        || 'ṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡ'
        || 'ợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓ'
        || 'ᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡ'
        || 'ⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇ'
        || 'ⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅ'
        || 'ꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬ'
        || 'ɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂'
        || '𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱'
        || '𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎'
        || '𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻'
        || '𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃';
    folded text;
    low    text;
BEGIN
    IF octet_length(run) = char_length(run) THEN
        RETURN lower(run COLLATE "C");
    END IF;
    folded := normalize(run, NFKC);
    FOR i IN 1..4 LOOP -- lower case can undo the normal form
        low := translate(folded, upper_case, lower_case);
        EXIT WHEN low = folded;
        IF right(folded, 1) = 'Σ' AND char_length(folded) > 1 THEN
            low := left(low, -1) || 'ς';
        END IF;
        folded := normalize(low, NFKC);
    END LOOP;
    RETURN folded;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION fold_word(text) IS
    'A run of letters in NFKC and lower case, as words are stored. The lower case is Unicode''s, of single characters, in every locale.';

-- +goose StatementBegin
CREATE FUNCTION text_words(txt text)
    RETURNS TABLE (place integer, word text, first integer, last integer)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 20
AS $$
DECLARE
    run    text; -- the classes of a run of characters
    piece  text; -- those of what is left of it when it is folded
    raw    text;
    folded text;
    before integer := 0; -- characters of txt before the run
    at     integer;      -- characters of folded before the piece
BEGIN
    place := 0;
    FOR run IN SELECT r.m[1] FROM regexp_matches(character_classes(txt), 'l[lm]*|h[hm]*|k[km]*|t[tm]*|[mn]+', 'g') r (m) LOOP
        IF left(run, 1) IN ('m', 'n') THEN
            before := before + length(run);
            CONTINUE;
        END IF;
        first := before + 1;
        last := before + length(run);
        raw := substr(txt, first, length(run));
        IF left(run, 1) = 'l' AND (length(run) > 256 OR octet_length(raw) = length(run)) THEN
            -- NFKC cannot make 32 characters of more than 256, and does nothing to ASCII.
            word := CASE WHEN length(run) <= 32 THEN lower(raw COLLATE "C") ELSE '' END;
            RETURN NEXT;
            place := place + 1;
            before := last;
            CONTINUE;
        END IF;
        folded := fold_word(raw);
        at := 0;
        -- NFKC may leave blanks and signs in a run: they end words as they would alone.
        FOR piece IN
            SELECT r.m[1] FROM regexp_matches(character_classes(folded), '[lhkt][lhktm]*|[mn]+', 'g') r (m)
        LOOP
            IF left(piece, 1) NOT IN ('m', 'n') THEN
                IF left(run, 1) = 'l' OR length(piece) = 1 THEN
                    word := CASE WHEN length(piece) <= 32 THEN substr(folded, at + 1, length(piece)) ELSE '' END;
                    RETURN NEXT;
                    place := place + 1;
                ELSE
                    FOR i IN 1 .. length(piece) - 1 LOOP
                        word := substr(folded, at + i, 2);
                        IF folded = raw THEN
                            first := before + at + i;
                            last := first + 1;
                        END IF;
                        RETURN NEXT;
                        place := place + 1;
                    END LOOP;
                END IF;
            END IF;
            at := at + length(piece);
        END LOOP;
        before := before + length(run);
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION text_words(text) IS
    'The words of a short text as the index has them: place from 0, the word (empty when it is longer than 32 characters), and the characters of the text that it is, from 1. Han, kana and Thai come in overlapping pairs. For queries and excerpts: a long text takes the square of its length.';

CREATE TABLE wordrules (
    single     boolean PRIMARY KEY DEFAULT true CHECK (single),
    min_length smallint NOT NULL DEFAULT 1 CHECK (min_length BETWEEN 1 AND 32),
    max_length smallint NOT NULL DEFAULT 32 CHECK (max_length BETWEEN 1 AND 32),
    stopwords  text[] NOT NULL DEFAULT '{}'
);
INSERT INTO wordrules DEFAULT VALUES;
COMMENT ON TABLE wordrules IS 'Which words the index leaves out, for searches in SQL, which cannot read spider.cnf. One row. Written by the crawl, index -T and --rebuild-index when they begin.';
COMMENT ON COLUMN wordrules.single IS 'Always true: there is one row.';
COMMENT ON COLUMN wordrules.min_length IS 'MinWordLength: shorter words are left out.';
COMMENT ON COLUMN wordrules.max_length IS 'MaxWordLength: longer words are left out.';
COMMENT ON COLUMN wordrules.stopwords IS 'The words of all files of StopwordFile, ascending.';

-- What a query asks for.

-- +goose StatementBegin
CREATE FUNCTION search_terms(query text)
    RETURNS TABLE (term integer, phrase boolean, excluded boolean, place integer, word text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 5
AS $$
DECLARE
    quotes  CONSTANT text := '["\u201C-\u201F]';
    -- What holds words together that have no blank between them, and characters that nobody sees.
    joiners CONSTANT text := '[-_''’`./\\:@&#%=~^$·‐‑\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]';
    rules   wordrules;
    txt     text;
    c       text;
    unit    record;            -- words without a blank between them, such as pg_stat_activity
    stored  text[];            -- for each of them whether the index has such words
    behind  integer := 1;      -- the first character that is not read yet
    quoted  boolean := false;
    opened  integer;           -- the term that a quotation mark began
    without boolean;           -- and whether it is excluded
    apart   boolean := true;   -- nothing or a separator stands before
    minus   boolean := false;
    terms   integer := 0;
    words   integer := 0;
    inside  integer;           -- place in the excluded term
    onward  integer := 0;      -- place in what is asked for
BEGIN
    IF octet_length(query) > 1024 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 1024 are allowed', octet_length(query)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    txt := regexp_replace(query, '[\u0001-\u001F\u007F-\u009F]', ' ', 'g');
    SELECT r.* INTO rules FROM wordrules r;
    FOR unit IN
        WITH w AS (
            SELECT t.place, t.word, t.first, t.last, lag(t.last) OVER (ORDER BY t.place) AS last_before
            FROM text_words(txt) t
        ), u AS (
            SELECT w.*, count(*) FILTER (WHERE w.last_before IS NULL OR w.first > w.last_before + 1
                AND substr(txt, w.last_before + 1, greatest(w.first - w.last_before - 1, 0)) !~ ('^' || joiners || '+$'))
                OVER (ORDER BY w.place) AS number
            FROM w
        )
        SELECT min(u.first) AS first, max(u.last) AS last, array_agg(u.word ORDER BY u.place) AS words
        FROM u GROUP BY u.number
        UNION ALL
        SELECT char_length(txt) + 1, char_length(txt) + 1, '{}' -- the end, for what stands before it
        ORDER BY 1
    LOOP
        FOR i IN behind .. unit.first - 1 LOOP
            c := substr(txt, i, 1);
            IF c ~ quotes THEN
                quoted := NOT quoted;
                apart := false;
                IF quoted THEN
                    terms := terms + 1;
                    opened := terms;
                    without := minus;
                    minus := false;
                    inside := 0;
                END IF;
            ELSIF c IN ('(', ')', '*', '?') OR c = '|' AND NOT quoted THEN
                RAISE EXCEPTION 'search() knows words, "phrases" and -exclusions: % at character % is of searchd''s language', c, i
                    USING ERRCODE = 'feature_not_supported';
            ELSIF c = '-' AND apart AND NOT quoted
                AND (i + 1 = unit.first AND unit.words <> '{}' OR substr(txt, i + 1, 1) ~ quotes) THEN
                minus := true;
                apart := false;
            ELSE
                apart := c !~ joiners;
            END IF;
        END LOOP;
        EXIT WHEN unit.words = '{}';
        behind := unit.last + 1;
        apart := false;
        IF NOT quoted THEN
            c := substring(substr(txt, unit.first) FROM '^(?:title|body|desc|keywords|site):');
            IF c IS NULL AND terms = 0 THEN
                c := substring(txt FROM '^\s*(link:)');
            END IF;
            IF cardinality(unit.words) = 1 AND unit.last - unit.first < 3 THEN
                CASE substr(txt, unit.first, unit.last - unit.first + 1)
                WHEN 'AND' THEN
                    CONTINUE;
                WHEN 'OR' THEN
                    c := 'OR';
                ELSE
                END CASE;
            END IF;
            IF c IS NOT NULL THEN
                RAISE EXCEPTION 'search() knows words, "phrases" and -exclusions: % at character % is of searchd''s language', c, unit.first
                    USING ERRCODE = 'feature_not_supported';
            END IF;
            terms := terms + 1;
            inside := 0;
            without := minus;
            minus := false;
        END IF;
        stored := ARRAY(
            SELECT CASE WHEN char_length(w.word) BETWEEN rules.min_length AND rules.max_length AND NOT w.word = ANY (rules.stopwords)
                THEN w.word END
            FROM unnest(unit.words) WITH ORDINALITY w (word, n) ORDER BY w.n);
        term := CASE WHEN quoted THEN opened ELSE terms END;
        phrase := quoted OR cardinality(array_remove(stored, NULL)) > 1;
        excluded := without;
        FOREACH word IN ARRAY stored LOOP -- a word that is left out keeps its place
            place := CASE WHEN without THEN inside ELSE onward END;
            inside := inside + 1;
            onward := onward + CASE WHEN without THEN 0 ELSE 1 END;
            CONTINUE WHEN word IS NULL;
            words := words + 1;
            IF words > 32 THEN
                RAISE EXCEPTION 'the query has too many words: 32 are allowed' USING ERRCODE = 'program_limit_exceeded';
            END IF;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_terms(text) IS
    'How search() reads a query: for each word that the index can have the number of its term, whether that is a phrase and whether it is excluded, and its place. Words that are left out (wordrules) keep theirs.';

-- What the index has.

-- +goose StatementBegin
CREATE FUNCTION word_records(blob bytea) RETURNS TABLE (url_id integer, places bytea)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE ROWS 1000
AS $$
DECLARE
    size   integer := octet_length(blob);
    at     integer;
    starts integer[] := '{}';
BEGIN
    IF size = 0 THEN
        RETURN;
    END IF;
    blob := blob || ''::bytea; -- a value out of line is fetched here once, not again for every byte
    at := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE size END;
    IF at < 12 OR at % 8 <> 4 OR at > size - 6 OR u32le(blob, at - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, at USING ERRCODE = 'data_corrupted';
    END IF;
    -- Records of all sites stand back to back. Only their counts are read one by one, the rest by one statement.
    WHILE at < size - 5 LOOP
        starts := starts || at;
        at := at + 6 + 2 * (get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8));
    END LOOP;
    IF at <> size THEN
        RAISE EXCEPTION 'word blob damaged: its records end at byte % of %', at, size USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN QUERY
    SELECT get_byte(blob, s) | (get_byte(blob, s + 1) << 8) | (get_byte(blob, s + 2) << 16) | (get_byte(blob, s + 3) << 24),
           substring(blob FROM s + 7 FOR 2 * (get_byte(blob, s + 4) | (get_byte(blob, s + 5) << 8)))
    FROM unnest(starts) s;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION word_records(bytea) IS
    'The documents in a blob of postings, each with its positions as they stand there: two bytes each, the lower first; none = removal. Much faster than word_info, which unpacks all positions.';

-- +goose StatementBegin
CREATE FUNCTION word_documents(the_word text) RETURNS TABLE (url_id integer, places bytea)
    LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
    SELECT n.url_id, n.places
    FROM (
        SELECT r.url_id, r.places
        FROM wordurl w CROSS JOIN LATERAL word_records(w.urls) r
        WHERE w.word = the_word
        UNION ALL
        SELECT f.url_id, f.places
        FROM (
            SELECT DISTINCT ON (r.url_id) r.url_id, r.places
            FROM wordurl w JOIN wordfile f ON f.word_id = w.word_id CROSS JOIN LATERAL word_records(f.urls) r
            WHERE w.word = the_word
            ORDER BY r.url_id, f.level, f.seq DESC
        ) f
        WHERE f.places <> ''
    ) n
    WHERE NOT EXISTS (SELECT FROM rt_urls r WHERE r.url_id = n.url_id)
    UNION ALL
    SELECT r.url_id, r.places
    FROM wordurl1 w CROSS JOIN LATERAL word_records(w.urls) r
    WHERE w.word = the_word;
END;
-- +goose StatementEnd
COMMENT ON FUNCTION word_documents(text) IS
    'The documents with a word wherever they stand (wordurl, wordfile, wordurl1), with their positions as word_records has them. Documents that a rule took out since the last merge are among them.';

-- The rank of a document: aspseek.md 9.3 as search/rank.go has it. A place is a position as blobs have it: the section in bits 14
-- and 15, the ordinal below.

-- +goose StatementBegin
CREATE FUNCTION place_at(places bytea, n integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN get_byte(places, 2 * n) | (get_byte(places, 2 * n + 1) << 8);
-- +goose StatementEnd
COMMENT ON FUNCTION place_at(bytea, integer) IS 'A position of word_records: number n, from 0.';

-- +goose StatementBegin
CREATE FUNCTION place_from(places bytea, wanted integer) RETURNS integer
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    low    integer := 0;
    high   integer := octet_length(places) / 2;
    middle integer;
BEGIN
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF place_at(places, middle) < wanted THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    RETURN CASE WHEN 2 * low < octet_length(places) THEN place_at(places, low) END;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION place_from(bytea, integer) IS 'The lowest of the positions of word_records from one on, NULL when there is none.';

-- +goose StatementBegin
CREATE FUNCTION phrase_places(lists bytea[], offsets integer[], most integer DEFAULT NULL) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
    lead  integer := 1; -- the word with the fewest places: the others are looked for around it
    list  bytea;
    found integer[];
    shift integer;
    steps integer := cardinality(lists) - 1;
BEGIN
    FOR k IN 2 .. cardinality(lists) LOOP
        IF octet_length(lists[k]) < octet_length(lists[lead]) THEN
            lead := k;
        END IF;
    END LOOP;
    list := lists[lead];
    found := ARRAY(SELECT place_at(list, i) FROM generate_series(0, octet_length(list) / 2 - 1) i);
    FOR k IN 1 .. cardinality(lists) LOOP
        CONTINUE WHEN k = lead;
        list := lists[k];
        steps := steps - 1;
        shift := offsets[k] - offsets[lead];
        IF octet_length(list) <= 1024 THEN
            -- Where the two bytes of a place are found between two others, a closer look tells.
            found := ARRAY(
                SELECT p
                FROM unnest(found) p
                CROSS JOIN LATERAL (
                    SELECT position(set_byte(set_byte('\x0000'::bytea, 0, (p + shift) & 255), 1, (p + shift) >> 8) IN list) AS byte OFFSET 0
                ) x
                WHERE (p + shift) >> 14 = p >> 14 AND (x.byte % 2 = 1 OR x.byte > 0 AND place_from(list, p + shift) = p + shift)
                LIMIT CASE WHEN steps = 0 THEN most END);
        ELSE
            found := ARRAY(
                SELECT p
                FROM unnest(found) p
                WHERE (p + shift) >> 14 = p >> 14
                  AND p + shift IN (SELECT place_at(list, i) FROM generate_series(0, octet_length(list) / 2 - 1) i)
                LIMIT CASE WHEN steps = 0 THEN most END);
        END IF;
        EXIT WHEN found = '{}';
    END LOOP;
    IF lead > 1 THEN
        shift := offsets[lead] - offsets[1];
        found := ARRAY(SELECT p - shift FROM unnest(found) p);
    END IF;
    RETURN found;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION phrase_places(bytea[], integer[], integer) IS
    'Where words stand in one document at these offsets to each other, all in one section: the positions of the first, ascending, or only so many of them. The positions of each word are as word_records has them.';

-- +goose StatementBegin
CREATE FUNCTION search_rank(bits integer, occurrences integer, link integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN bits & 24576 <> 0
        THEN (bits::bigint << 16) + least(link + trunc(2000 * ln(occurrences::double precision))::integer, 65535)
        ELSE ((bits & 63488)::bigint << 16) + (least(link + trunc(2000 * ln(occurrences::double precision))::integer, 65535) << 11) END;
-- +goose StatementEnd
COMMENT ON FUNCTION search_rank(integer, integer, integer) IS
    'The rank of a document: its 16 bits first, then its link rank of 16 bits, in which occurrences count as citations do (1 = not); in the body the place is left out of the bits.';

-- +goose StatementBegin
CREATE FUNCTION search_score(lists bytea[], terms integer[], phrases boolean[], places integer[], link integer) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    words   integer := cardinality(terms);
    starts  integer[] := '{}'; -- the first word of each term, and one behind the last
    count   integer := 0;      -- terms
    i       integer := 1;
    k       integer;
    found   integer[];
    begins  integer[] := '{}'; -- of phrases
    best    integer;           -- section of a term
    times   integer;
    section integer := 3;      -- the worst of them
    often   integer;           -- the rarest in its section
    ordinal integer;
    pairs   integer := 0;      -- neighbours that stand as they were typed
    quality integer;           -- 3 = all stand so
BEGIN
    WHILE i <= words LOOP
        k := i;
        WHILE terms[k + 1] = terms[i] LOOP
            k := k + 1;
        END LOOP;
        IF phrases[i] THEN
            found := phrase_places(lists[i:k], places[i:k]);
            IF found = '{}' THEN
                RETURN NULL;
            END IF;
            begins := begins || found;
            best := found[cardinality(found)] >> 14;
            times := (SELECT count(*) FROM unnest(found) p WHERE p >> 14 = best);
        ELSE
            best := get_byte(lists[i], octet_length(lists[i]) - 1) >> 6;
            times := CASE WHEN best = 0 THEN octet_length(lists[i]) / 2 ELSE 1 END;
        END IF;
        section := least(section, best);
        often := least(often, times);
        starts := starts || i;
        count := count + 1;
        i := k + 1;
    END LOOP;
    starts := starts || i;
    FOR j IN 1 .. count - 1 LOOP
        found := phrase_places(lists[starts[j]:starts[j + 2] - 1], places[starts[j]:starts[j + 2] - 1], CASE WHEN count > 2 THEN 1 END);
        pairs := pairs + (found <> '{}')::integer;
        EXIT WHEN pairs = 2 AND j > 2; -- more would not count
    END LOOP;
    quality := least(pairs, 2);
    IF count > 1 AND pairs = count - 1 THEN
        IF count > 2 THEN
            found := phrase_places(lists, places);
        END IF;
        IF found <> '{}' THEN
            quality := 3;
            often := cardinality(found);
        END IF;
    END IF;
    IF section = 0 THEN
        RETURN search_rank(CASE WHEN count > 1 THEN 32768 | (quality << 11) WHEN phrases[1] THEN 45056 ELSE 32768 END, often, link);
    END IF;
    ordinal := (SELECT min(p) FROM unnest(begins) p WHERE p >> 14 = section);
    FOR j IN 1 .. words LOOP
        IF NOT phrases[j] THEN
            k := place_from(lists[j], section << 14);
            IF k >> 14 = section THEN
                ordinal := least(ordinal, k);
            END IF;
        END IF;
    END LOOP;
    ordinal := ordinal & 16383;
    RETURN search_rank(32768 | (section << 13) | CASE
        WHEN count > 1 THEN (quality << 11) | (2047 - least(ordinal, 2047))
        ELSE 8191 - least(ordinal, 8191) END, 1, link);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_score(bytea[], integer[], boolean[], integer[], integer) IS
    'The rank of a document that has all words of a query, NULL when a phrase is missing. One element a word: its positions, its term, whether that is a phrase, its place; then the link rank.';

-- +goose StatementBegin
CREATE FUNCTION search_excerpt(txt text, words text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
AS $$
DECLARE
    mark   record;
    result text;
    copied integer := 0; -- characters of txt that are in the result, or left out before it
BEGIN
    FOR mark IN SELECT w.first, w.last FROM text_words(txt) w WHERE w.word = ANY (words) ORDER BY w.place LOOP
        IF result IS NULL THEN
            result := '';
            IF mark.first > 100 THEN -- the excerpt begins with a word, some 60 characters before
                copied := mark.first - 61 + coalesce(nullif(position(' ' IN substr(txt, mark.first - 60, 60)), 0), 0);
                result := '… ';
            END IF;
        ELSIF mark.first <= copied THEN -- pairs of characters overlap
            result := left(result, -1) || substr(txt, copied + 1, greatest(mark.last - copied, 0)) || '»';
            copied := greatest(copied, mark.last);
            CONTINUE;
        END IF;
        result := result || substr(txt, copied + 1, mark.first - copied - 1) || '«'
            || substr(txt, mark.first, mark.last - mark.first + 1) || '»';
        copied := mark.last;
    END LOOP;
    RETURN result || substr(txt, copied + 1);
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search_excerpt(text, text[]) IS
    'A text with the given words (as text_words has them) between « and », from a little before the first; NULL when it has none.';

-- +goose StatementBegin
CREATE FUNCTION search(query text, results integer DEFAULT 20)
    RETURNS TABLE (rank bigint, url_id integer, url text, title text, excerpt text)
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE ROWS 20
AS $$
DECLARE
    -- One element a word of the query, but of exclusions.
    asked     text[];
    terms     integer[];
    phrases   boolean[];
    places    integer[];
    candidate record;
    reached   bigint;
    -- Documents that are ranked and not shown: their ranks, and below them the url_id, turned round.
    waiting   bigint[] := '{}';
    highest   bigint := -1;
    shown     integer := 0;
BEGIN
    IF results < 1 OR results > 1000 THEN
        RAISE EXCEPTION 'search() gives 1 to 1000 results, not %', results USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(t.word ORDER BY t.place), array_agg(t.term ORDER BY t.place), array_agg(t.phrase ORDER BY t.place),
           array_agg(t.place ORDER BY t.place)
    INTO asked, terms, phrases, places
    FROM search_terms(query) t
    WHERE NOT t.excluded;
    IF asked IS NULL THEN
        RAISE NOTICE 'there is no word to search for: the query is empty, only says what not to find, or the index leaves out its words';
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM unnest(asked) x (word)
        WHERE NOT EXISTS (SELECT FROM wordurl w WHERE w.word = x.word AND w.urlcount > 0)
          AND NOT EXISTS (SELECT FROM wordurl1 w WHERE w.word = x.word)) THEN
        RETURN;
    END IF;
    -- What is dear is to see how the words stand in a document. So the documents come in the order of the highest rank that they
    -- can have, and the first are shown as soon as no other can pass them.
    FOR candidate IN
        WITH posting AS MATERIALIZED (
            SELECT x.word, d.url_id, d.places
            FROM (SELECT DISTINCT u.word FROM unnest(asked) u (word)) x CROSS JOIN LATERAL word_documents(x.word) d
        ), whole AS (
            SELECT p.url_id, array_agg(p.places ORDER BY x.n) AS lists,
                   min(get_byte(p.places, octet_length(p.places) - 1) >> 6) AS section, -- the best that all words have
                   min(octet_length(p.places)) / 2 AS fewest
            FROM unnest(asked) WITH ORDINALITY x (word, n) JOIN posting p ON p.word = x.word
            GROUP BY p.url_id
            HAVING count(*) = cardinality(asked)
        ), without AS MATERIALIZED (
            SELECT x.term, d.url_id
            FROM search_terms(query) x CROSS JOIN LATERAL word_documents(x.word) d
            WHERE x.excluded
            GROUP BY x.term, x.phrase, d.url_id
            HAVING count(*) = (SELECT count(*) FROM search_terms(query) y WHERE y.excluded AND y.term = x.term)
               AND (NOT x.phrase OR phrase_places(array_agg(d.places ORDER BY x.place), array_agg(x.place ORDER BY x.place)) <> '{}')
        )
        SELECT w.url_id, w.lists, l.link, CASE
                WHEN w.section > 0 THEN search_rank(32768 | (w.section << 13) | 8191, 1, l.link)
                WHEN terms[1] <> terms[cardinality(terms)] THEN search_rank(32768 | (3 << 11), w.fewest, l.link)
                WHEN phrases[1] THEN search_rank(45056, w.fewest, l.link)
                ELSE search_rank(32768, w.fewest, l.link) END AS highest
        FROM whole w
        LEFT JOIN urlrank r ON r.url_id = w.url_id
        CROSS JOIN LATERAL (SELECT CASE WHEN r.rank > 0
            THEN least(greatest(trunc(2000 * ln(10 * r.rank::double precision)), 0), 65535) ELSE 0 END::integer AS link) l
        WHERE NOT EXISTS (SELECT FROM without o WHERE o.url_id = w.url_id)
        UNION ALL
        SELECT 0, NULL, 0, 0 -- the end: it passes nobody
        ORDER BY 4 DESC, 1
    LOOP
        IF highest >> 31 > candidate.highest OR candidate.lists IS NULL THEN
            -- Only live originals are documents, lost ones among them; what a rule took out waits for the merge in the index.
            FOR rank, url_id, url, title, excerpt IN
                SELECT k.key >> 31, u.url_id, u.url, coalesce(c.title, ''),
                       coalesce(search_excerpt(c.txt, asked), search_excerpt(c.description, asked), nullif(c.txt, ''), c.description, '')
                FROM unnest(waiting) k (key)
                JOIN urlword u ON u.url_id = 2147483647 - (k.key & 2147483647)::integer
                LEFT JOIN urlwords c ON c.url_id = u.url_id
                WHERE k.key >> 31 > candidate.highest AND (u.status & 65535) = 200 AND u.deleted = 0 AND u.origin = 0
                ORDER BY k.key DESC
                LIMIT results - shown
            LOOP
                RETURN NEXT;
                shown := shown + 1;
            END LOOP;
            EXIT WHEN shown = results;
            waiting := ARRAY(SELECT k.key FROM unnest(waiting) k (key) WHERE k.key >> 31 <= candidate.highest);
            highest := coalesce((SELECT max(k.key) FROM unnest(waiting) k (key)), -1);
        END IF;
        reached := search_score(candidate.lists, terms, phrases, places, candidate.link);
        IF reached IS NOT NULL THEN
            waiting := waiting || ((reached << 31) | (2147483647 - candidate.url_id));
            highest := greatest(highest, waiting[cardinality(waiting)]);
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION search(text, integer) IS
    'The documents that have all words, all "phrases" and nothing behind a - (blank before, none behind), best first: the rank of searchd, then url_id. A word of several, such as pg_stat_activity, is a phrase. At most 32 words, 1024 bytes, 1000 results. The excerpt is of the stored beginning of the text, or of the description.';

-- Statistics of queries.

CREATE INDEX stat_start ON stat (start);
COMMENT ON INDEX stat_start IS 'The queries of a time (stat_daily, store.StatReport), and old ones (store.PurgeStat).';

CREATE VIEW stat_daily AS
SELECT to_timestamp(start::double precision)::date AS day,
       count(*) AS queries,
       count(DISTINCT query) AS distinct_queries,
       count(*) FILTER (WHERE urls = 0) AS empty,
       count(*) FILTER (WHERE urls < 0) AS errors,
       count(DISTINCT addr) FILTER (WHERE addr <> '') AS addresses,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (finish - start)::double precision) * 1000)::numeric, 1) AS median_ms,
       round((percentile_cont(0.95) WITHIN GROUP (ORDER BY (finish - start)::double precision) * 1000)::numeric, 1) AS p95_ms,
       round(max(finish - start) * 1000) AS slowest_ms
FROM stat
GROUP BY 1;
COMMENT ON VIEW stat_daily IS 'Queries by day, in the session''s time zone. Each page of results that was looked at is a query.';
COMMENT ON COLUMN stat_daily.day IS 'The day on which they began.';
COMMENT ON COLUMN stat_daily.queries IS 'Queries that were completed.';
COMMENT ON COLUMN stat_daily.distinct_queries IS 'Different texts among them.';
COMMENT ON COLUMN stat_daily.empty IS 'Those that found nothing.';
COMMENT ON COLUMN stat_daily.errors IS 'Those with an error in the query.';
COMMENT ON COLUMN stat_daily.addresses IS 'Different addresses of clients. With StatAddress none there are none.';
COMMENT ON COLUMN stat_daily.median_ms IS 'Milliseconds that half of them took at most.';
COMMENT ON COLUMN stat_daily.p95_ms IS 'Milliseconds that 95 of 100 took at most.';
COMMENT ON COLUMN stat_daily.slowest_ms IS 'Milliseconds of the slowest.';

-- The role that searches (reliability.md 5). Roles belong to the server, grants to the database.

-- +goose StatementBegin
CREATE FUNCTION grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
AS $$
DECLARE
    granted CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom    CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    tables  text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, what waits, the status page
BEGIN
    FOR n IN 0 .. 15 LOOP
        tables := tables || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || ' SELECT ON ' || tables || whom;
    EXECUTE granted || ' INSERT ON stat' || whom;
    EXECUTE granted || ' EXECUTE ON FUNCTION search(text, integer)' || whom;
END $$;
-- +goose StatementEnd
COMMENT ON FUNCTION grant_search(name, boolean) IS
    'Lets a role search: it may read the index and the stored pages, execute search() and add to stat, nothing else. With false that is taken back. For the owner of the tables only.';
REVOKE EXECUTE ON FUNCTION grant_search(name, boolean) FROM PUBLIC;

-- Many databases of one server may come here at once.
-- +goose StatementBegin
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        BEGIN
            CREATE ROLE pgseek_search NOLOGIN;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database was quicker
            WHEN insufficient_privilege THEN
                RAISE NOTICE 'the role pgseek_search is not there, and % may not create it: searches run as the owner (docs/schema.md)', current_user;
        END;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        RETURN;
    END IF;
    PERFORM grant_search('pgseek_search');
    IF NOT pg_has_role(current_user, 'pgseek_search', 'MEMBER') THEN
        BEGIN
            EXECUTE format('GRANT pgseek_search TO %I', current_user);
        EXCEPTION WHEN insufficient_privilege OR unique_violation OR internal_error THEN -- the last: "tuple concurrently updated"
            RAISE NOTICE '% is no member of pgseek_search: searches run as the owner (docs/schema.md)', current_user;
        END;
    END IF;
END $$;
-- +goose StatementEnd

-- +goose Down

-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'pgseek_search') THEN
        PERFORM grant_search('pgseek_search', false);
    END IF;
END $$;
-- +goose StatementEnd
DROP FUNCTION grant_search(name, boolean);
DROP VIEW stat_daily;
DROP INDEX stat_start;
DROP FUNCTION search(text, integer);
DROP FUNCTION search_excerpt(text, text[]);
DROP FUNCTION search_score(bytea[], integer[], boolean[], integer[], integer);
DROP FUNCTION search_rank(integer, integer, integer);
DROP FUNCTION phrase_places(bytea[], integer[], integer);
DROP FUNCTION place_from(bytea, integer);
DROP FUNCTION place_at(bytea, integer);
DROP FUNCTION word_documents(text);
DROP FUNCTION word_records(bytea);
DROP FUNCTION search_terms(text);
DROP TABLE wordrules;
DROP FUNCTION text_words(text);
DROP FUNCTION fold_word(text);
DROP FUNCTION character_classes(text);

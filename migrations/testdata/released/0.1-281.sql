-- A small crawl as pgseek 0.1-281 left it, written by scripts/dump-release. Never change it: later versions must open it as it is.

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.character_classes(txt text) RETURNS text
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
            WHEN c.code <@ '{[170,170],[178,179],[181,181],[185,186],[192,214],[216,246],[248,705],[710,721],[736,740],[748,748],
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
                [3520,3526],[3558,3567],[3840,3840],[3872,3881],[3904,3911],[3913,3948],[3976,3980],[4256,4293],[4295,4295],
                [4301,4301],[4304,4346],[4348,4446],[4449,4680],[4682,4685],[4688,4694],[4696,4696],[4698,4701],[4704,4744],
                [4746,4749],[4752,4784],[4786,4789],[4792,4798],[4800,4800],[4802,4805],[4808,4822],[4824,4880],[4882,4885],
                [4888,4954],[4992,5007],[5024,5109],[5112,5117],[5121,5740],[5743,5759],[5761,5786],[5792,5866],[5873,5880],
                [5888,5905],[5919,5937],[5952,5969],[5984,5996],[5998,6000],[6160,6169],[6176,6264],[6272,6276],[6279,6312],
                [6314,6314],[6320,6389],[6400,6430],[6470,6509],[6512,6516],[6528,6571],[6576,6601],[6608,6617],[6656,6678],
                [6688,6740],[6784,6793],[6800,6809],[6823,6823],[6917,6963],[6981,6988],[6992,7001],[7043,7072],[7086,7141],
                [7168,7203],[7232,7241],[7245,7293],[7296,7304],[7312,7354],[7357,7359],[7401,7404],[7406,7411],[7413,7414],
                [7418,7418],[7424,7615],[7680,7957],[7960,7965],[7968,8005],[8008,8013],[8016,8023],[8025,8025],[8027,8027],
                [8029,8029],[8031,8061],[8064,8116],[8118,8124],[8126,8126],[8130,8132],[8134,8140],[8144,8147],[8150,8155],
                [8160,8172],[8178,8180],[8182,8188],[8304,8305],[8308,8313],[8319,8329],[8336,8348],[8450,8450],[8455,8455],
                [8458,8467],[8469,8469],[8473,8477],[8484,8484],[8486,8486],[8488,8488],[8490,8493],[8495,8505],[8508,8511],
                [8517,8521],[8526,8526],[8544,8575],[8579,8580],[9312,9331],[9450,9450],[11264,11492],[11499,11502],[11506,11507],
                [11520,11557],[11559,11559],[11565,11565],[11568,11623],[11631,11631],[11648,11670],[11680,11686],[11688,11694],
                [11696,11702],[11704,11710],[11712,11718],[11720,11726],[11728,11734],[11736,11742],[11823,11823],[12348,12348],
                [12549,12591],[12593,12643],[12645,12686],[12704,12735],[12881,12895],[12977,12991],[40960,42124],[42192,42237],
                [42240,42508],[42512,42539],[42560,42606],[42623,42653],[42656,42725],[42775,42783],[42786,42888],[42891,42954],
                [42960,42961],[42963,42963],[42965,42969],[42994,43009],[43011,43013],[43015,43018],[43020,43042],[43072,43123],
                [43138,43187],[43216,43225],[43250,43255],[43259,43259],[43261,43262],[43264,43301],[43312,43334],[43360,43388],
                [43396,43442],[43471,43481],[43520,43560],[43584,43586],[43588,43595],[43600,43609],[43648,43695],[43697,43697],
                [43701,43702],[43705,43709],[43712,43712],[43714,43714],[43739,43741],[43744,43754],[43762,43764],[43777,43782],
                [43785,43790],[43793,43798],[43808,43814],[43816,43822],[43824,43866],[43868,43881],[43888,44002],[44016,44025],
                [44032,55203],[55216,55238],[55243,55291],[64256,64262],[64275,64279],[64285,64285],[64287,64296],[64298,64310],
                [64312,64316],[64318,64318],[64320,64321],[64323,64324],[64326,64433],[64467,64829],[64848,64911],[64914,64967],
                [65008,65019],[65136,65140],[65142,65276],[65296,65305],[65313,65338],[65345,65370],[65441,65470],[65474,65479],
                [65482,65487],[65490,65495],[65498,65500],[65536,65547],[65549,65574],[65576,65594],[65596,65597],[65599,65613],
                [65616,65629],[65664,65786],[66176,66204],[66208,66256],[66304,66335],[66349,66368],[66370,66377],[66384,66421],
                [66432,66461],[66464,66499],[66504,66511],[66560,66717],[66720,66729],[66736,66771],[66776,66811],[66816,66855],
                [66864,66915],[66928,66938],[66940,66954],[66956,66962],[66964,66965],[66967,66977],[66979,66993],[66995,67001],
                [67003,67004],[67072,67382],[67392,67413],[67424,67431],[67456,67461],[67463,67504],[67506,67514],[67584,67589],
                [67592,67592],[67594,67637],[67639,67640],[67644,67644],[67647,67669],[67680,67702],[67712,67742],[67808,67826],
                [67828,67829],[67840,67861],[67872,67897],[67968,68023],[68030,68031],[68096,68096],[68112,68115],[68117,68119],
                [68121,68149],[68192,68220],[68224,68252],[68288,68295],[68297,68324],[68352,68405],[68416,68437],[68448,68466],
                [68480,68497],[68608,68680],[68736,68786],[68800,68850],[68864,68899],[68912,68921],[69248,69289],[69296,69297],
                [69376,69404],[69415,69415],[69424,69445],[69488,69505],[69552,69572],[69600,69622],[69635,69687],[69734,69743],
                [69745,69746],[69749,69749],[69763,69807],[69840,69864],[69872,69881],[69891,69926],[69942,69951],[69956,69956],
                [69959,69959],[69968,70002],[70006,70006],[70019,70066],[70081,70084],[70096,70106],[70108,70108],[70144,70161],
                [70163,70187],[70207,70208],[70272,70278],[70280,70280],[70282,70285],[70287,70301],[70303,70312],[70320,70366],
                [70384,70393],[70405,70412],[70415,70416],[70419,70440],[70442,70448],[70450,70451],[70453,70457],[70461,70461],
                [70480,70480],[70493,70497],[70656,70708],[70727,70730],[70736,70745],[70751,70753],[70784,70831],[70852,70853],
                [70855,70855],[70864,70873],[71040,71086],[71128,71131],[71168,71215],[71236,71236],[71248,71257],[71296,71338],
                [71352,71352],[71360,71369],[71424,71450],[71472,71481],[71488,71494],[71680,71723],[71840,71913],[71935,71942],
                [71945,71945],[71948,71955],[71957,71958],[71960,71983],[71999,71999],[72001,72001],[72016,72025],[72096,72103],
                [72106,72144],[72161,72161],[72163,72163],[72192,72192],[72203,72242],[72250,72250],[72272,72272],[72284,72329],
                [72349,72349],[72368,72440],[72704,72712],[72714,72750],[72768,72768],[72784,72793],[72818,72847],[72960,72966],
                [72968,72969],[72971,73008],[73030,73030],[73040,73049],[73056,73061],[73063,73064],[73066,73097],[73112,73112],
                [73120,73129],[73440,73458],[73474,73474],[73476,73488],[73490,73523],[73552,73561],[73648,73648],[73728,74649],
                [74880,75075],[77712,77808],[77824,78895],[78913,78918],[82944,83526],[92160,92728],[92736,92766],[92768,92777],
                [92784,92862],[92864,92873],[92880,92909],[92928,92975],[92992,92995],[93008,93017],[93027,93047],[93053,93071],
                [93760,93823],[93952,94026],[94032,94032],[94099,94111],[94176,94177],[94208,100343],[100352,101589],
                [101632,101640],[110960,111355],[113664,113770],[113776,113788],[113792,113800],[113808,113817],[119808,119892],
                [119894,119964],[119966,119967],[119970,119970],[119973,119974],[119977,119980],[119982,119993],[119995,119995],
                [119997,120003],[120005,120069],[120071,120074],[120077,120084],[120086,120092],[120094,120121],[120123,120126],
                [120128,120132],[120134,120134],[120138,120144],[120146,120485],[120488,120512],[120514,120538],[120540,120570],
                [120572,120596],[120598,120628],[120630,120654],[120656,120686],[120688,120712],[120714,120744],[120746,120770],
                [120772,120779],[120782,120831],[122624,122654],[122661,122666],[122928,122989],[123136,123180],[123191,123197],
                [123200,123209],[123214,123214],[123536,123565],[123584,123627],[123632,123641],[124112,124139],[124144,124153],
                [124896,124902],[124904,124907],[124909,124910],[124912,124926],[124928,125124],[125184,125251],[125259,125259],
                [125264,125273],[126464,126467],[126469,126495],[126497,126498],[126500,126500],[126503,126503],[126505,126514],
                [126516,126519],[126521,126521],[126523,126523],[126530,126530],[126535,126535],[126537,126537],[126539,126539],
                [126541,126543],[126545,126546],[126548,126548],[126551,126551],[126553,126553],[126555,126555],[126557,126557],
                [126559,126559],[126561,126562],[126564,126564],[126567,126570],[126572,126578],[126580,126583],[126585,126588],
                [126590,126590],[126592,126601],[126603,126619],[126625,126627],[126629,126633],[126635,126651],[130032,130041]}'::int4multirange THEN 'l'
            WHEN c.code <@ '{[12293,12295],[12321,12329],[12337,12341],[12344,12347],[12353,12438],[12445,12447],[12449,12538],
                [12540,12543],[12784,12799],[13312,19903],[19968,40959],[63744,64109],[64112,64217],[65382,65439],[94179,94179],
                [110576,110579],[110581,110587],[110589,110590],[110592,110882],[110898,110898],[110928,110930],[110933,110933],
                [110948,110951],[131072,173791],[173824,177977],[177984,178205],[178208,183969],[183984,191456],[194560,195101],
                [196608,201546],[201552,205743]}'::int4multirange THEN 'h'
            WHEN c.code <@ '{[3585,3632],[3634,3635],[3648,3654],[3664,3673],[3713,3714],[3716,3716],[3718,3722],[3724,3747],
                [3749,3749],[3751,3760],[3762,3763],[3773,3773],[3776,3780],[3782,3782],[3792,3801],[3804,3807],[4096,4138],
                [4159,4169],[4176,4181],[4186,4189],[4193,4193],[4197,4198],[4206,4208],[4213,4225],[4238,4238],[4240,4249],
                [6016,6067],[6103,6103],[6108,6108],[6112,6121],[43488,43492],[43494,43518],[43616,43638],[43642,43642],
                [43646,43647]}'::int4multirange THEN 't'
            WHEN c.code <@ '{[768,846],[848,879],[1155,1161],[1425,1469],[1471,1471],[1473,1474],[1476,1477],[1479,1479],
                [1552,1562],[1611,1631],[1648,1648],[1750,1756],[1759,1764],[1767,1768],[1770,1773],[1809,1809],[1840,1866],
                [1958,1968],[2027,2035],[2045,2045],[2070,2073],[2075,2083],[2085,2087],[2089,2093],[2137,2139],[2200,2207],
                [2250,2273],[2275,2307],[2362,2364],[2366,2383],[2385,2391],[2402,2403],[2433,2435],[2492,2492],[2494,2500],
                [2503,2504],[2507,2509],[2519,2519],[2530,2531],[2558,2558],[2561,2563],[2620,2620],[2622,2626],[2631,2632],
                [2635,2637],[2641,2641],[2672,2673],[2677,2677],[2689,2691],[2748,2748],[2750,2757],[2759,2761],[2763,2765],
                [2786,2787],[2810,2815],[2817,2819],[2876,2876],[2878,2884],[2887,2888],[2891,2893],[2901,2903],[2914,2915],
                [2946,2946],[3006,3010],[3014,3016],[3018,3021],[3031,3031],[3072,3076],[3132,3132],[3134,3140],[3142,3144],
                [3146,3149],[3157,3158],[3170,3171],[3201,3203],[3260,3260],[3262,3268],[3270,3272],[3274,3277],[3285,3286],
                [3298,3299],[3315,3315],[3328,3331],[3387,3388],[3390,3396],[3398,3400],[3402,3405],[3415,3415],[3426,3427],
                [3457,3459],[3530,3530],[3535,3540],[3542,3542],[3544,3551],[3570,3571],[3633,3633],[3636,3642],[3655,3662],
                [3761,3761],[3764,3772],[3784,3790],[3864,3865],[3893,3893],[3895,3895],[3897,3897],[3902,3903],[3953,3972],
                [3974,3975],[3981,3991],[3993,4028],[4038,4038],[4139,4158],[4182,4185],[4190,4192],[4194,4196],[4199,4205],
                [4209,4212],[4226,4237],[4239,4239],[4250,4253],[4957,4959],[5906,5909],[5938,5940],[5970,5971],[6002,6003],
                [6070,6099],[6109,6109],[6277,6278],[6313,6313],[6432,6443],[6448,6459],[6679,6683],[6741,6750],[6752,6780],
                [6783,6783],[6832,6862],[6912,6916],[6964,6980],[7019,7027],[7040,7042],[7073,7085],[7142,7155],[7204,7223],
                [7376,7378],[7380,7400],[7405,7405],[7412,7412],[7415,7417],[7616,7679],[8400,8432],[11503,11505],[11647,11647],
                [11744,11775],[12330,12335],[12441,12442],[42607,42610],[42612,42621],[42654,42655],[42736,42737],[43010,43010],
                [43014,43014],[43019,43019],[43043,43047],[43052,43052],[43136,43137],[43188,43205],[43232,43249],[43263,43263],
                [43302,43309],[43335,43347],[43392,43395],[43443,43456],[43493,43493],[43561,43574],[43587,43587],[43596,43597],
                [43643,43645],[43696,43696],[43698,43700],[43703,43704],[43710,43711],[43713,43713],[43755,43759],[43765,43766],
                [44003,44010],[44012,44013],[64286,64286],[65056,65071],[66045,66045],[66272,66272],[66422,66426],[68097,68099],
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
                [123184,123190],[123566,123566],[123628,123631],[124140,124143],[125136,125142],[125252,125258]}'::int4multirange THEN 'm'
            WHEN c.code <@ '{[173,173],[847,847],[1564,1564],[4447,4448],[6068,6069],[6155,6159],[8204,8207],[8234,8238],
                [8288,8303],[12644,12644],[65024,65039],[65279,65279],[65440,65440],[65520,65528],[113824,113827],[119155,119162],
                [917504,921599]}'::int4multirange THEN 'i'
            WHEN c.code = 8203 THEN 'z'
            ELSE 'n' END, '' ORDER BY c.n)
        FROM (SELECT ascii(s.c) AS code, s.n FROM string_to_table(txt, NULL) WITH ORDINALITY s (c, n)) c);
END $$;

CREATE FUNCTION public.doc_words(the_url integer) RETURNS TABLE(word text, cnt integer, positions integer[])
    LANGUAGE plpgsql STABLE STRICT ROWS 250 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    the_site integer;
BEGIN
    SELECT u.site_id INTO the_site FROM urlword u WHERE u.url_id = the_url;
    IF EXISTS (SELECT FROM rt_urls r WHERE r.url_id = the_url) THEN
        RETURN QUERY
        SELECT w.word, i.cnt, word_positions(w.urls, the_site, the_url)
        FROM rt_urls r
        CROSS JOIN LATERAL docwords_info(r.words) i
        LEFT JOIN wordurl1 w ON w.word_id = i.word_id
        WHERE r.url_id = the_url
        ORDER BY w.word;
        RETURN;
    END IF;
    RETURN QUERY
    SELECT w.word, i.cnt, CASE WHEN w.urls <> '' THEN word_positions(w.urls, the_site, the_url) ELSE NULLIF((
            SELECT p
            FROM (SELECT DISTINCT ON (f.level, f.seq) f.level, f.seq, f.urls
                  FROM wordfile f
                  WHERE f.word_id = w.word_id AND (f.first_site, f.first_url) <= (the_site, the_url)
                  ORDER BY f.level, f.seq DESC, f.first_site DESC, f.first_url DESC) run
            CROSS JOIN LATERAL word_positions(run.urls, the_site, the_url) p
            WHERE p IS NOT NULL
            ORDER BY run.level, run.seq DESC
            LIMIT 1), '{}') END
    FROM docwords d
    CROSS JOIN LATERAL docwords_info(d.words) i
    LEFT JOIN wordurl w ON w.word_id = i.word_id
    WHERE d.url_id = the_url
    ORDER BY w.word;
END $$;

CREATE FUNCTION public.document_facets(urls integer[], of_site text DEFAULT NULL::text, of_lang text DEFAULT NULL::text, of_type text DEFAULT NULL::text, of_path text DEFAULT NULL::text, of_tag text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(url_id integer, site text, folder text, modified bigint, lang text, type text, tag integer, missed text[])
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    sites     text[]; -- what the arguments list
    languages text[];
    types     text[];
    tags      integer[] := string_to_array(of_tag, ',');
    earliest  bigint := floor(extract(epoch FROM since));
    latest    bigint := floor(extract(epoch FROM until));
    v         record;
    dated     integer[] := '{}'; -- documents of the real-time index, and their dates
    dates     timestamptz[] := '{}';
    at        timestamptz;
BEGIN
    IF of_site IS NOT NULL THEN
        sites := ARRAY(SELECT n.site FROM sites_named(of_site) n WHERE n.site IS NOT NULL);
    END IF;
    IF of_lang IS NOT NULL THEN
        languages := ARRAY(SELECT language_code(btrim(x)) FROM string_to_table(of_lang, ',') x);
    END IF;
    IF of_type IS NOT NULL THEN
        types := ARRAY(SELECT type_named(x) FROM string_to_table(of_type, ',') x);
    END IF;
    -- The dates that the merge is going to give to documents of the real-time index: the same rule as in search/plan.go.
    FOR v IN
        SELECT j.url_id, coalesce(d.unruled, d.modified) AS known, s.dated AS ruled, j.modified, j.fetched_at, j.same_content,
               lag(j.url_id) OVER (ORDER BY j.url_id, j.seq) IS DISTINCT FROM j.url_id AS is_first
        FROM rt_urls r JOIN journal j ON j.url_id = r.url_id AND j.status IN (200, 406) LEFT JOIN docdates d ON d.url_id = r.url_id LEFT JOIN urlstate s ON s.url_id = r.url_id
        WHERE r.url_id = ANY (urls)
        ORDER BY j.url_id, j.seq
    LOOP
        IF v.is_first THEN
            at := v.known;
            dated := dated || v.url_id;
            dates := dates || at;
        END IF;
        IF v.same_content AND at IS NOT NULL THEN
            NULL; -- the date stays
        ELSIF NOT v.same_content AND v.modified <= v.fetched_at AND (at IS NULL OR v.modified > at) THEN
            at := v.modified;
        ELSE
            at := greatest(at, v.fetched_at);
        END IF;
        dates[cardinality(dated)] := coalesce(v.ruled, at);
    END LOOP;
    RETURN QUERY
    WITH live AS MATERIALIZED ( -- the real-time index
        SELECT r.url_id, c.lang, document_type(c.content_type) AS type, w.tag
        FROM rt_urls r JOIN urlword w ON w.url_id = r.url_id JOIN urlwords c ON c.url_id = r.url_id
        WHERE r.url_id = ANY (urls)
    ), document AS (
        SELECT w.url_id, s.site, split_part(substr(w.url, length(s.site) + 1), '?', 1) AS path, w.url,
               floor(extract(epoch FROM CASE WHEN w.url_id = ANY (dated) THEN dates[array_position(dated, w.url_id)] ELSE d.modified END))::bigint AS modified,
               language_code(CASE WHEN l.url_id IS NULL THEN d.lang ELSE l.lang END) AS lang,
               coalesce(CASE WHEN l.url_id IS NULL THEN d.type ELSE l.type END, '') AS type,
               coalesce(CASE WHEN l.url_id IS NULL THEN d.tag ELSE l.tag END, 0) AS tag
        FROM unnest(urls) u (url_id)
        JOIN urlword w ON w.url_id = u.url_id
        JOIN sites s ON s.site_id = w.site_id
        LEFT JOIN docdates d ON d.url_id = u.url_id
        LEFT JOIN live l ON l.url_id = u.url_id
    )
    SELECT d.url_id, d.site, CASE WHEN d.path LIKE '_%/%' THEN '/' || split_part(d.path, '/', 1) || '/' END, d.modified, d.lang, d.type, d.tag,
           array_remove(ARRAY[
               CASE WHEN NOT d.site = ANY (sites) THEN 'site' END,
               CASE WHEN NOT d.lang = ANY (languages) THEN 'lang' END,
               CASE WHEN NOT d.type = ANY (types) THEN 'type' END,
               CASE WHEN (earliest IS NOT NULL OR latest IS NOT NULL)
                   AND (coalesce(d.modified, 0) = 0 OR d.modified < earliest OR d.modified > latest) THEN 'date' END,
               CASE WHEN NOT starts_with(d.url, d.site || ltrim(of_path, '/')) THEN 'path' END,
               CASE WHEN NOT d.tag = ANY (tags) THEN 'tag' END], NULL)
    FROM document d;
END $$;

CREATE FUNCTION public.document_type(content_type text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT CASE
        WHEN t.name IN ('text/html', 'application/xhtml+xml') THEN 'html'
        WHEN t.name = 'text/plain' THEN 'text'
        WHEN t.name IN ('application/rss+xml', 'application/atom+xml') THEN 'feed'
        WHEN t.name IN ('text/xml', 'application/xml') THEN 'xml'
        WHEN t.name LIKE 'application/msword%' OR t.name LIKE 'application/vnd.%wordprocessingml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.text%' THEN 'word'
        WHEN t.name LIKE 'application/vnd.ms-excel%' OR t.name LIKE 'application/vnd.%spreadsheetml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.spreadsheet%' THEN 'sheet'
        WHEN t.name LIKE 'application/vnd.ms-powerpoint%' OR t.name LIKE 'application/vnd.%presentationml%'
            OR t.name LIKE 'application/vnd.oasis.opendocument.presentation%' THEN 'slides'
        ELSE left(regexp_replace(regexp_replace(split_part(t.name, '/', 2), '^(x-|vnd\.)', ''), '[^a-z0-9.+_-]', '', 'g'), 40)
    END
    FROM (SELECT btrim(lower(split_part(content_type, ';', 1)))) t (name)
$$;

CREATE FUNCTION public.docwords_info(packed bytea) RETURNS TABLE(word_id integer, cnt integer)
    LANGUAGE plpgsql IMMUTABLE STRICT ROWS 250 PARALLEL SAFE
    AS $$
DECLARE
    size   integer := octet_length(packed);
    at     integer := 1;
    rest   bigint := -1; -- words or blocks that follow; their number comes first
    value  bigint;
    shift  integer;
    byte   integer;
    is_id  boolean := true;
    blocks boolean := false; -- all words are read; version 2 continues with the fingerprints of blocks
    block  integer := -1;
BEGIN
    packed := packed || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    IF size < 2 OR get_byte(packed, 0) NOT IN (1, 2) THEN
        RAISE EXCEPTION 'not a list of words: % bytes', size USING ERRCODE = 'data_corrupted';
    END IF;
    word_id := 0;
    LOOP
        IF rest = 0 THEN
            EXIT WHEN blocks OR get_byte(packed, 0) = 1;
            blocks := true;
            rest := -1;
        END IF;
        value := 0;
        shift := 0;
        LOOP
            IF at >= size OR shift > 28 THEN
                RAISE EXCEPTION 'list of words damaged at byte %', at USING ERRCODE = 'data_corrupted';
            END IF;
            byte := get_byte(packed, at);
            at := at + 1;
            value := value | ((byte & 127)::bigint << shift);
            shift := shift + 7;
            EXIT WHEN byte < 128;
        END LOOP;
        IF rest < 0 THEN
            rest := value;
            IF rest = 0 AND NOT blocks AND get_byte(packed, 0) = 2 THEN
                RAISE EXCEPTION 'list of words damaged at byte %: blocks of no words', at USING ERRCODE = 'data_corrupted';
            END IF;
        ELSIF blocks THEN
            IF value = 0 AND block >= 0 OR greatest(block, 0) + value > 1023 OR at + 8 > size THEN
                RAISE EXCEPTION 'list of words damaged at byte %: a block after %', at, block USING ERRCODE = 'data_corrupted';
            END IF;
            block := greatest(block, 0) + value;
            at := at + 8;
            rest := rest - 1;
        ELSIF is_id THEN
            IF value = 0 OR word_id + value > 2147483647 THEN
                RAISE EXCEPTION 'list of words damaged at byte %: a word after %', at, word_id USING ERRCODE = 'data_corrupted';
            END IF;
            word_id := word_id + value;
            is_id := false;
        ELSE
            cnt := value;
            is_id := true;
            rest := rest - 1;
            RETURN NEXT;
        END IF;
    END LOOP;
    IF at <> size THEN
        RAISE EXCEPTION 'list of words damaged: it ends at byte % of %', at, size USING ERRCODE = 'data_corrupted';
    END IF;
END $$;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.urlkey (
    url_hash bytea NOT NULL,
    url_id integer NOT NULL,
    CONSTRAINT urlkey_url_hash_check CHECK ((octet_length(url_hash) = 16))
);

CREATE FUNCTION public.find_url(url text) RETURNS integer
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT k.url_id FROM public.urlkey k WHERE (k.url_hash = decode(md5(find_url.url), 'hex'::text)));

CREATE FUNCTION public.fold_word(run text) RETURNS text
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

CREATE FUNCTION public.stop_words() RETURNS TABLE(lang text, words text[])
    LANGUAGE sql IMMUTABLE ROWS 15 PARALLEL SAFE
    AS $$
    SELECT v.lang, string_to_array(v.words, ' ')
    FROM (VALUES
        ('da', 'og i jeg det at en den til er som på de med han af for ikke der var mig sig men et har om vi min havde ham hun nu over'
            || ' da fra du ud os op man hvor eller hvad skal hvordan'),
        ('de', 'der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wird werden mit von vom zu'
            || ' zum zur im in am an auf aus bei für ich du er sie es wir ihr nicht auch als wie was wer wo wenn dass man kann können'
            || ' mein dein sein'),
        ('en', 'a about above after again against all also am an and any are as at be because been before being below between both but'
            || ' by can cannot could did do does doing down during each few for from further had has have having he her here hers'
            || ' herself him himself his how i if in into is it its itself may me might more most must my myself no nor not of off on'
            || ' once only or other ought our ours ourselves out over own same shall she should so some such than that the their theirs'
            || ' them themselves then there these they this those through to too under until up us use used using very was we were what'
            || ' when where which while who whom why will with would you your yours yourself yourselves'),
        ('es', 'el la los las un una unos unas y o de del al a en con por para que como es son era fue se su sus mi me no más pero lo'
            || ' le les qué cómo cuándo dónde este esta'),
        ('fi', 'ja on ei se että en hän mutta tai kun niin kuin jos mitä mikä miten missä tämä olla oli ovat'),
        ('fr', 'le la les un une des du de et ou à au aux en dans par pour sur avec est sont était ce cet cette ces que qui quoi dont'
            || ' où je tu il elle nous vous ils elles ne pas plus se son sa ses mon ma mes comment pourquoi quand d l s c j n qu'),
        ('hu', 'a az és egy hogy nem is van volt ez meg de csak mint ha vagy mi ki hol hogyan mikor'),
        ('it', 'il lo la i gli le un uno una e o di del della dei delle a al alla in nel nella con su per da dal che chi cui come è'
            || ' sono era non più si mi ti ci quando dove perché'),
        ('nl', 'de het een en of van in op te aan met voor door is zijn was waren dat die dit deze niet ook als hoe wat wie waar'
            || ' wanneer er ik je hij zij we naar bij om'),
        ('no', 'og i jeg det at en et den til er som på de med han av for ikke der var seg men har om vi hva hvor hvordan når eller'
            || ' skal'),
        ('pt', 'o a os as um uma uns umas e ou de do da dos das em no na nos nas com por para que como é são era foi se seu sua não'
            || ' mais mas ao à quando onde qual'),
        ('ro', 'și sau un o de la în cu pe din pentru că ce care cum este sunt era nu mai se al ai a ale când unde'),
        ('ru', 'и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по её мне было вот от меня о из ему когда'
            || ' где для это или если ли при чем'),
        ('sv', 'och i att det som en ett på är av för med till den de inte om har var men jag du vi han hon eller hur vad när vilken'
            || ' från'),
        ('tr', 've veya bir bu şu o da de ile için gibi mi mı ne nasıl neden çok daha en ki ama')
    ) v (lang, words)
$$;

CREATE FUNCTION public.form_languages() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ARRAY(SELECT w.lang FROM public.stop_words() w(lang, words) UNION SELECT 'ko'::text ORDER BY 1);

CREATE FUNCTION public.grant_search(the_role name, allowed boolean DEFAULT true) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    granted   CONSTANT text := CASE WHEN allowed THEN 'GRANT' ELSE 'REVOKE' END;
    whom      CONSTANT text := CASE WHEN allowed THEN ' TO ' ELSE ' FROM ' END || quote_ident(the_role);
    functions CONSTANT text := 'search, search_facets, sites_named, type_named, document_type, redirect_chain, plain_word, word_spellings, word_variants, form_languages, hangul_word, merged_places, document_facets, language_code, find_url, '
        || 'search_aspseek, search_matches, search_plan, search_parameters, search_idf, search_languages, stop_words, word_stem, word_forms, '
        || 'rank_of_score, link_units, length_norm, places_before, weighted_places, weighted_word, weighted_phrase, '
        || 'search_terms, text_words, character_classes, fold_word, word_documents, word_records, place_at, place_from, phrase_places, '
        || 'search_rank, search_score, search_excerpt, word_postings, word_info, word_positions, u32le, '
        || 'subset_documents, site_bits, site_labels, status_base, status_lost, status_lost_count';
    tables    text := 'sites, urlkey, urlword, urlwords, urlrank, wordurl, wordurl1, wordfile, rt_urls, docdates, citation, wordsite, '
        || 'subsets, subsetdocs, subsetstate, spaces, suggestions, totals, wordrules, '
        || 'urlstate, journal, markdel, reindexing, schedule, fetcher, sites_on_hold'; -- marks of pages, unmerged versions, the status page
BEGIN
    FOR n IN 0 .. 15 LOOP
        tables := tables || ', urlwords' || lpad(n::text, 2, '0');
    END LOOP;
    EXECUTE granted || ' USAGE ON SCHEMA ' || quote_ident(current_schema()) || whom;
    EXECUTE granted || ' SELECT ON ' || tables || whom;
    EXECUTE granted || ' INSERT ON stat' || whom;
    EXECUTE granted || ' EXECUTE ON FUNCTION ' || functions || whom;
END $$;

CREATE FUNCTION public.hangul_word(word text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (word ~ '^[\u1100-\u11FF\u302E\u302F\u3131-\u318E\u3200-\u321E\u3260-\u327E\uA960-\uA97C\uAC00-\uD7A3\uD7B0-\uD7C6\uD7CB-\uD7FB\uFFA0-\uFFBE\uFFC2-\uFFC7\uFFCA-\uFFCF\uFFD2-\uFFD7\uFFDA-\uFFDC]+$'::text);

CREATE FUNCTION public.language_code(lang text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN COALESCE("substring"(replace(lower((lang COLLATE "C")), '_'::text, '-'::text), '^([a-z]*)(?:-|$)'::text), ''::text);

CREATE FUNCTION public.length_norm(code integer, average double precision, part double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (code > 0) THEN (((1)::double precision - part) + ((part * (exp(((code)::double precision / (16.0)::double precision)) - (1)::double precision)) / GREATEST(average, (1)::double precision))) ELSE (1)::double precision END;

CREATE FUNCTION public.link_units(link real) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (CASE WHEN (link > (0)::double precision) THEN LEAST(GREATEST(trunc(((2000)::double precision * ln(((10)::double precision * (link)::double precision)))), (0)::double precision), (65535)::double precision) ELSE (0)::double precision END)::integer;

CREATE FUNCTION public.place_at(places bytea, n integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (get_byte(places, (2 * n)) | (get_byte(places, ((2 * n) + 1)) << 8));

CREATE FUNCTION public.merged_places(lists bytea[]) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT string_agg(set_byte(set_byte('\x0000'::bytea, 0, (p.place & 255)), 1, (p.place >> 8)), '\x'::bytea ORDER BY p.place) AS string_agg
    FROM ( SELECT DISTINCT public.place_at(l.list, i.n) AS place
            FROM (unnest(merged_places.lists) l(list)
              CROSS JOIN LATERAL generate_series(0, ((octet_length(l.list) / 2) - 1)) i(n))) p;
END;

CREATE FUNCTION public.phrase_places(lists bytea[], offsets integer[], most integer DEFAULT NULL::integer) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    lead  integer := 1; -- the word with the fewest places; the others are searched around them
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
            -- The two bytes of a place may be found across two other places; then place_from decides.
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

CREATE FUNCTION public.place_from(places bytea, wanted integer) RETURNS integer
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

CREATE FUNCTION public.places_before(places bytea, wanted integer) RETURNS integer
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
    RETURN low;
END $$;

CREATE FUNCTION public.plain_word(word text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN octet_length(word) = char_length(word) THEN word ELSE
        coalesce(nullif(normalize(replace(replace(replace(replace(translate(regexp_replace(normalize(translate(word,
            'йїѓќўӂӑӓӗӛӝӟӣӥӧӫӭӯӱӳӵӹѷЙЇЃЌЎӁӐӒӖӚӜӞӢӤӦӪӬӮӰӲӴӸѶ',
            U&'\E000\E001\E002\E003\E004\E005\E006\E007\E008\E009\E00A\E00B\E00C\E00D\E00E\E00F\E010\E011\E012\E013\E014\E015\E016\E017\E018\E019\E01A\E01B\E01C\E01D\E01E\E01F\E020\E021\E022\E023\E024\E025\E026\E027\E028\E029\E02A\E02B\E02C\E02D'), NFD),
            '[\u0300-\u036F\u0483-\u0489\u0591-\u05BD\u05BF\u05C1-\u05C2\u05C4-\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E4\u06E7-\u06E8\u06EA-\u06ED\u08D3-\u08E1\u08E3-\u08FF\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]', '', 'g'),
            U&'\E000\E001\E002\E003\E004\E005\E006\E007\E008\E009\E00A\E00B\E00C\E00D\E00E\E00F\E010\E011\E012\E013\E014\E015\E016\E017\E018\E019\E01A\E01B\E01C\E01D\E01E\E01F\E020\E021\E022\E023\E024\E025\E026\E027\E028\E029\E02A\E02B\E02C\E02D' || 'øłđðħŧıىةیک',
            'йїѓќўӂӑӓӗӛӝӟӣӥӧӫӭӯӱӳӵӹѷЙЇЃЌЎӁӐӒӖӚӜӞӢӤӦӪӬӮӰӲӴӸѶolddhtiيهيك'),
            'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), NFC), ''), word) END
$$;

CREATE FUNCTION public.rank_of_score(score double precision) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (trunc(LEAST((score * (1048576)::double precision), ('4294967295'::bigint)::double precision)))::bigint;

CREATE FUNCTION public.redirect_chain(start_url integer, OUT step integer, OUT url_id integer, OUT url text, OUT status integer) RETURNS SETOF record
    LANGUAGE plpgsql STABLE STRICT
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    at   integer := start_url;
    seen integer[] := '{}';
    next integer;
BEGIN
    step := 0;
    WHILE at <> 0 AND step <= 10 AND NOT at = ANY (seen) LOOP
        SELECT w.url_id, w.url, w.status, w.redir INTO url_id, url, status, next FROM urlword w WHERE w.url_id = at;
        EXIT WHEN NOT FOUND;
        RETURN NEXT;
        seen := seen || at;
        at := next;
        step := step + 1;
    END LOOP;
END $$;

CREATE FUNCTION public.search(query text, results integer DEFAULT 20, match text DEFAULT 'any'::text, ranking text DEFAULT 'relevance'::text, forms text DEFAULT 'on'::text, site text DEFAULT NULL::text, lang text DEFAULT NULL::text, type text DEFAULT NULL::text, path text DEFAULT NULL::text, tag text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(rank bigint, url_id integer, url text, title text, excerpt text, score double precision, all_words boolean)
    LANGUAGE plpgsql STABLE ROWS 20 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    missing text; -- the name of a site that the index does not have
    marked text[]; -- words that an excerpt marks
    unit   double precision;
BEGIN
    IF num_nulls(query, results, match, ranking, forms) > 0 THEN
        RETURN;
    ELSIF results < 1 OR results > 1000 THEN
        RAISE EXCEPTION 'search() returns 1 to 1000 results, not %', results USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM FROM search_terms(query); -- an error in the query comes from here, without the text of the functions below
    FOR missing IN SELECT n.name FROM sites_named(search.site) n WHERE n.site IS NULL LOOP
        RAISE NOTICE 'the index has no site %', quote_literal(missing) USING HINT = 'Table sites has its sites';
    END LOOP;
    IF ranking = 'aspseek' THEN
        RETURN QUERY SELECT a.*, NULL::double precision, true FROM search_aspseek(query, results, site, lang, type, path, tag, since, until) a;
        RETURN;
    ELSIF ranking <> 'relevance' THEN
        RAISE EXCEPTION 'ranking is relevance or aspseek, not %', quote_literal(ranking) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(DISTINCT w.word) INTO marked
    FROM search_plan(query, match, forms) p CROSS JOIN LATERAL unnest(p.words) w (word)
    WHERE p.part = 'near';
    IF marked IS NULL THEN
        RAISE NOTICE 'there is no word to search for: the query is empty, has only exclusions, or the index leaves out all its words';
        RETURN;
    END IF;
    unit := (SELECT s.rank_unit FROM search_parameters() s);
    RETURN QUERY
    SELECT b.rank, b.url_id, u.url, coalesce(c.title, ''),
           coalesce(search_excerpt(c.txt, marked), search_excerpt(c.description, marked), nullif(c.txt, ''), c.description, ''),
           b.rank / unit, b.all_words
    FROM (
        SELECT m.* FROM search_matches(query, match, forms, true, NULL, site, lang, type, path, tag, since, until) m
        ORDER BY m.rank DESC, m.url_id
        LIMIT results
    ) b
    JOIN urlword u ON u.url_id = b.url_id
    LEFT JOIN urlwords c ON c.url_id = b.url_id
    ORDER BY b.rank DESC, b.url_id;
END $$;

CREATE FUNCTION public.search_aspseek(query text, results integer DEFAULT 20, site text DEFAULT NULL::text, lang text DEFAULT NULL::text, type text DEFAULT NULL::text, path text DEFAULT NULL::text, tag text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(rank bigint, url_id integer, url text, title text, excerpt text)
    LANGUAGE plpgsql STABLE ROWS 20 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    -- One element for each word of the query that is not excluded.
    asked     text[];
    terms     integer[];
    phrases   boolean[];
    places    integer[];
    candidate record;
    reached   bigint;
    -- Documents that are ranked and not yet returned: the rank in the high bits, the inverted url_id in the low ones.
    waiting   bigint[] := '{}';
    highest   bigint := -1;
    shown     integer := 0;
    limited   boolean := num_nonnulls(site, lang, type, path, tag, since, until) > 0;
BEGIN
    IF results < 1 OR results > 1000 THEN
        RAISE EXCEPTION 'search() returns 1 to 1000 results, not %', results USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT array_agg(t.word ORDER BY t.place), array_agg(t.term ORDER BY t.place), array_agg(t.phrase ORDER BY t.place),
           array_agg(t.place ORDER BY t.place)
    INTO asked, terms, phrases, places
    FROM search_terms(query) t
    WHERE NOT t.excluded;
    IF asked IS NULL THEN
        RAISE NOTICE 'there is no word to search for: the query is empty, has only exclusions, or the index leaves out all its words';
        RETURN;
    END IF;
    IF EXISTS (
        SELECT FROM unnest(asked) x (word)
        WHERE NOT EXISTS (SELECT FROM wordurl w WHERE w.word = x.word AND w.urlcount > 0)
          AND NOT EXISTS (SELECT FROM wordurl1 w WHERE w.word = x.word)) THEN
        RETURN;
    END IF;
    -- Comparing positions is the expensive part. So the documents come in the order of the highest rank that they can reach, and the
    -- first ones are returned as soon as no other document can pass them.
    FOR candidate IN
        WITH posting AS MATERIALIZED (
            SELECT x.word, d.url_id, d.places
            FROM (SELECT DISTINCT u.word FROM unnest(asked) u (word)) x CROSS JOIN LATERAL word_documents(x.word) d
        ), whole AS (
            SELECT p.url_id, array_agg(p.places ORDER BY x.n) AS lists,
                   min(get_byte(p.places, octet_length(p.places) - 1) >> 6) AS section, -- the best section that all words reach
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
        SELECT 0, NULL, 0, 0 -- the end: it passes no document
        ORDER BY 4 DESC, 1
    LOOP
        IF highest >> 31 > candidate.highest OR candidate.lists IS NULL THEN
            -- Only live originals are returned, including lost documents. The index may still have documents that a rule removed.
            FOR rank, url_id, url, title, excerpt IN
                SELECT k.key >> 31, u.url_id, u.url, coalesce(c.title, ''),
                       coalesce(search_excerpt(c.txt, asked), search_excerpt(c.description, asked), nullif(c.txt, ''), c.description, '')
                FROM unnest(waiting) k (key)
                JOIN urlword u ON u.url_id = 2147483647 - (k.key & 2147483647)::integer
                LEFT JOIN urlwords c ON c.url_id = u.url_id
                WHERE k.key >> 31 > candidate.highest AND (u.status & 65535) = 200 AND u.deleted = 0 AND u.origin = 0
                  AND (NOT limited OR u.url_id IN (
                      SELECT v.url_id
                      FROM document_facets(ARRAY(SELECT 2147483647 - (w.key & 2147483647)::integer FROM unnest(waiting) w (key)),
                          search_aspseek.site, search_aspseek.lang, search_aspseek.type, search_aspseek.path, search_aspseek.tag,
                          search_aspseek.since, search_aspseek.until) v
                      WHERE v.missed = '{}'))
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

CREATE FUNCTION public.search_excerpt(txt text, words text[]) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    mark   record;
    result text;
    copied integer := 0; -- characters of txt that are in the result or were skipped
BEGIN
    FOR mark IN SELECT w.first, w.last FROM text_words(txt) w WHERE w.word = ANY (words) ORDER BY w.place LOOP
        IF result IS NULL THEN
            result := '';
            IF mark.first > 100 THEN -- the excerpt begins at a word, about 60 characters before
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

CREATE FUNCTION public.search_facets(query text, match text DEFAULT 'any'::text, forms text DEFAULT 'on'::text, site text DEFAULT NULL::text, lang text DEFAULT NULL::text, type text DEFAULT NULL::text, path text DEFAULT NULL::text, tag text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(facet text, value text, documents bigint)
    LANGUAGE plpgsql STABLE ROWS 50 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    -- Whether "phrases" are no conditions, because no document that passes the filters has them.
    loose boolean := match = 'any' AND query ~ '["\u201C-\u201F]'
        AND NOT EXISTS (SELECT FROM search_matches(query, match, forms, false, false, site, lang, type, path, tag, since, until));
BEGIN
    PERFORM FROM search_terms(query);
    RETURN QUERY
    WITH matched AS MATERIALIZED (
        SELECT m.url_id, m.all_words FROM search_matches(query, match, forms, false, loose) m
    ), document AS MATERIALIZED (
        SELECT f.*, m.all_words
        FROM document_facets(ARRAY(SELECT a.url_id FROM matched a), site, lang, type, path, tag, since, until) f
        JOIN matched m ON m.url_id = f.url_id
    ), counted AS MATERIALIZED ( -- if a document of the result has all words, only such documents count
        SELECT * FROM document d
        WHERE d.all_words OR NOT EXISTS (SELECT FROM document r WHERE r.all_words AND r.missed = '{}')
    ), one_value AS ( -- documents count in a facet that pass all filters but its own
        SELECT 1 AS place, 'site' AS facet, c.site AS value, NULL::integer AS span FROM counted c WHERE c.missed <@ '{site}'
        UNION ALL
        SELECT 2, 'lang', c.lang, NULL FROM counted c WHERE c.missed <@ '{lang}' AND c.lang <> ''
        UNION ALL
        SELECT 3, 'type', c.type, NULL FROM counted c WHERE c.missed <@ '{type}' AND c.type <> ''
        UNION ALL
        SELECT 4, 'date', s.name, s.span
        FROM counted c
        JOIN (VALUES ('day', 1, 1), ('week', 2, 7), ('month', 3, 30), ('year', 4, 365), ('older', 5, 365)) s (name, span, days)
            ON (c.modified >= floor(extract(epoch FROM now() - s.days * interval '24 hours'))) = (s.name <> 'older')
        WHERE c.missed <@ '{date}' AND c.modified <> 0
        UNION ALL
        SELECT 5, 'path', c.folder, NULL
        FROM counted c
        WHERE c.missed <@ '{path}' AND c.folder IS NOT NULL
          AND (SELECT count(DISTINCT d.site) FROM counted d WHERE d.missed <@ '{path}') = 1
        UNION ALL
        SELECT 6, 'tag', c.tag::text, NULL FROM counted c WHERE c.missed <@ '{tag}' AND c.tag <> 0
    )
    SELECT o.facet, o.value, count(*)
    FROM one_value o
    GROUP BY o.place, o.facet, o.value, o.span
    ORDER BY o.place, o.span, count(*) DESC, o.value COLLATE "C";
END $$;

CREATE FUNCTION public.search_idf(documents double precision, total double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN ln(((1)::double precision + (((total - LEAST(documents, total)) + (0.5)::double precision) / (LEAST(documents, total) + (0.5)::double precision))));

CREATE FUNCTION public.search_languages() RETURNS text[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    -- Of each content table some documents are a sample.
    sampled CONSTANT integer := 300;
    -- A language counts if at least one in rare documents has it, or one in rarest and at least least_documents of the sample: a few
    -- documents are often labeled wrongly. The same as in search/forms.go.
    rare            CONSTANT integer := 20;
    rarest          CONSTANT integer := 50;
    least_documents CONSTANT integer := 30;
    found   text[];
BEGIN
    WITH sample AS (
        (SELECT c.lang FROM urlwords00 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords01 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords02 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords03 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords04 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords05 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords06 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords07 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords08 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords09 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords10 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords11 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords12 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords13 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords14 c WHERE c.lang <> '' LIMIT sampled) UNION ALL
        (SELECT c.lang FROM urlwords15 c WHERE c.lang <> '' LIMIT sampled)
    ), counted AS (
        SELECT s.lang, count(*) AS documents, sum(count(*)) OVER () AS total FROM sample s GROUP BY s.lang
    )
    SELECT array_agg(c.lang ORDER BY c.lang COLLATE "C") INTO found
    FROM counted c
    WHERE c.lang = ANY (form_languages())
      AND (c.documents * rare >= c.total OR c.documents * rarest >= c.total AND c.documents >= least_documents);
    RETURN coalesce(found, '{en}');
END $$;

CREATE FUNCTION public.search_matches(query text, match text DEFAULT 'any'::text, forms text DEFAULT 'on'::text, judged boolean DEFAULT true, loose boolean DEFAULT NULL::boolean, site text DEFAULT NULL::text, lang text DEFAULT NULL::text, type text DEFAULT NULL::text, path text DEFAULT NULL::text, tag text DEFAULT NULL::text, since timestamp with time zone DEFAULT NULL::timestamp with time zone, until timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(url_id integer, site_id integer, rank bigint, all_words boolean)
    LANGUAGE plpgsql STABLE PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    s       record;
    average double precision; -- length of a document
    limited boolean := num_nonnulls(site, lang, type, path, tag, since, until) > 0;
BEGIN
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT * INTO s FROM search_parameters();
    average := coalesce((SELECT t.positions / nullif(t.documents, 0)::double precision FROM totals t), 0);
    RETURN QUERY
    WITH plan AS MATERIALIZED (
        SELECT * FROM search_plan(query, match, forms, coalesce(loose, false))
    ), number AS MATERIALIZED (
        SELECT count(*) FILTER (WHERE p.part IN ('word', 'phrase', 'unit')) AS parts, count(*) FILTER (WHERE p.needed) AS needed,
               count(*) FILTER (WHERE p.part = 'near') AS near
        FROM plan p
    ), word AS MATERIALIZED ( -- each word once
        SELECT w.word, row_number() OVER ()::integer AS number FROM (SELECT DISTINCT unnest(p.words) AS word FROM plan p) w
    ), part_word AS MATERIALIZED (
        SELECT p.part, p.n, p.needed, p.weight, x.place, w.number, x.weight AS part_of,
               (SELECT count(DISTINCT l.place) FROM unnest(p.places) l (place)) AS length
        FROM plan p CROSS JOIN LATERAL unnest(p.words, p.places, p.weights) x (word, place, weight) JOIN word w ON w.word = x.word
    ), posting AS MATERIALIZED (
        SELECT w.number, d.url_id, d.places FROM word w CROSS JOIN LATERAL word_documents(w.word) d
    ), spelled AS ( -- where a document has any spelling of a word of a phrase
        SELECT w.part, w.n, w.needed, w.weight, w.length, w.place, p.url_id,
               CASE WHEN count(*) = 1 THEN (array_agg(p.places))[1] ELSE merged_places(array_agg(p.places)) END AS places
        FROM part_word w JOIN posting p ON p.number = w.number
        WHERE w.place IS NOT NULL
        GROUP BY w.part, w.n, w.needed, w.weight, w.length, w.place, p.url_id
    ), phrase AS MATERIALIZED (
        SELECT l.part, l.n, l.needed, l.weight, l.url_id, array_agg(l.places ORDER BY l.place) AS lists, array_agg(l.place ORDER BY l.place) AS offsets
        FROM spelled l
        GROUP BY l.part, l.n, l.needed, l.weight, l.length, l.url_id
        HAVING count(*) = l.length
    ), excluded AS MATERIALIZED (
        SELECT p.url_id FROM part_word w JOIN posting p ON p.number = w.number WHERE w.part = 'not' AND w.place IS NULL
        UNION ALL
        SELECT h.url_id FROM phrase h WHERE h.part = 'not' AND phrase_places(h.lists, h.offsets, 1) <> '{}'
    ), document AS MATERIALIZED ( -- live originals
        SELECT u.url_id, u.site_id, length_norm(d.length, average, s.length_part) AS norm, s.link_weight / 2000 * link_units(r.rank) AS link
        FROM (SELECT DISTINCT p.url_id FROM posting p) f
        JOIN urlword u ON u.url_id = f.url_id
        LEFT JOIN docdates d ON d.url_id = f.url_id
        LEFT JOIN urlrank r ON r.url_id = f.url_id
        -- Written so that the planner expects most of them to pass.
        WHERE (CASE WHEN u.deleted = 0 AND (u.status & 65535) = 200 AND u.origin = 0 THEN true END) IS NOT NULL
          AND NOT EXISTS (SELECT FROM excluded x WHERE x.url_id = f.url_id)
          AND (NOT limited OR f.url_id IN (
              SELECT v.url_id
              FROM document_facets(ARRAY(SELECT DISTINCT p.url_id FROM posting p), search_matches.site, search_matches.lang, search_matches.type,
                  search_matches.path, search_matches.tag, search_matches.since, search_matches.until) v
              WHERE v.missed = '{}'))
    ), hit AS (
        SELECT d.url_id, d.site_id, d.link, w.needed, w.weight, sum(w.part_of * weighted_word(p.places, d.norm)) AS x
        FROM part_word w JOIN posting p ON p.number = w.number JOIN document d ON d.url_id = p.url_id
        WHERE w.part = 'word'
        GROUP BY w.n, w.needed, w.weight, d.url_id, d.site_id, d.link
        UNION ALL
        SELECT d.url_id, d.site_id, d.link, h.needed, h.weight, weighted_phrase(h.lists, h.offsets, d.norm)
        FROM phrase h JOIN document d ON d.url_id = h.url_id
        WHERE h.part IN ('phrase', 'unit')
    ), scored AS (
        SELECT h.url_id, h.site_id, sum(h.weight * (h.x / (s.k1 + h.x))) + h.link AS score, count(*) AS parts
        FROM hit h
        WHERE h.x > 0
        GROUP BY h.url_id, h.site_id, h.link
        HAVING count(*) FILTER (WHERE h.needed) = (SELECT c.needed FROM number c)
    ), ranked AS MATERIALIZED (
        SELECT c.url_id, c.site_id, c.score, rank_of_score(c.score) AS rank, c.parts = a.parts AS all_words,
               row_number() OVER (ORDER BY rank_of_score(c.score) DESC, c.url_id) AS place
        FROM scored c CROSS JOIN number a
    ), place AS MATERIALIZED ( -- where the best documents have the words
        SELECT DISTINCT r.url_id, w.n, w.weight AS idf, place_at(p.places, i) AS place -- two forms can have the last place of a section
        FROM ranked r JOIN posting p ON p.url_id = r.url_id -- Written so that the planner expects most words to pass.
        JOIN part_word w ON w.number = p.number AND (CASE WHEN w.part = 'near' THEN true END) IS NOT NULL
        CROSS JOIN LATERAL generate_series(0, octet_length(p.places) / 2 - 1) i
        WHERE judged AND r.place <= s.rerank_most
    ), cell AS ( -- 8 neighboring places of a document. What is near to a place is in its cell or in one beside it
        SELECT p.*, (p.url_id::bigint << 14) + (p.place >> 3) AS cell FROM place p
    ), pair AS (
        SELECT a.url_id, least(a.idf, b.idf) AS idf, sum(1.0::double precision / ((b.place - a.place) * (b.place - a.place))) AS v
        FROM (SELECT c.*, c.cell + step.by AS beside FROM cell c CROSS JOIN (VALUES (-1), (0), (1)) step (by)) a
        JOIN cell b ON b.cell = a.beside
        CROSS JOIN number c
        WHERE b.n > a.n AND (b.n = a.n + 1 OR c.near <= s.all_pairs)
          AND abs(b.place - a.place) BETWEEN 1 AND s.near_most AND a.place # b.place < 16384 -- in one section
        GROUP BY a.url_id, a.n, b.n, least(a.idf, b.idf)
    ), near AS (
        SELECT p.url_id, sum(p.idf * p.v / (p.v + 1)) AS score FROM pair p GROUP BY p.url_id
    ), title AS ( -- documents with all words in the title
        SELECT t.url_id, s.title_bonus * sum(t.idf) * least(1, count(*) / max(t.first)::double precision) AS score
        FROM (
            SELECT p.url_id, p.n, p.idf, min(p.place & 16383) + 1 AS first FROM place p WHERE p.place >> 14 = 3 GROUP BY p.url_id, p.n, p.idf
        ) t
        GROUP BY t.url_id
        HAVING count(*) = (SELECT c.near FROM number c)
    )
    SELECT r.url_id, r.site_id, CASE WHEN n.score IS NULL AND t.score IS NULL THEN r.rank
            ELSE rank_of_score(r.score + coalesce(n.score, 0) + coalesce(t.score, 0)) END, r.all_words
    FROM ranked r LEFT JOIN near n ON n.url_id = r.url_id LEFT JOIN title t ON t.url_id = r.url_id;
    IF NOT FOUND AND loose IS NULL AND match = 'any' AND query ~ '["\u201C-\u201F]' THEN -- no document has the phrases
        RETURN QUERY
        SELECT * FROM search_matches(query, match, forms, judged, true, search_matches.site, search_matches.lang, search_matches.type,
            search_matches.path, search_matches.tag, search_matches.since, search_matches.until);
    END IF;
END $$;

CREATE FUNCTION public.search_parameters() RETURNS TABLE(k1 double precision, length_part double precision, title_weight double precision, keywords_weight double precision, description_weight double precision, form_weight double precision, again_weight double precision, unit_weight double precision, link_weight double precision, near_most integer, title_bonus double precision, rerank_most integer, all_pairs integer, rank_unit double precision, max_terms integer)
    LANGUAGE sql IMMUTABLE ROWS 1 PARALLEL SAFE
    AS $$
    -- Chosen by a simulation over test collections: search/rank.go has the reasons and the ranges.
    SELECT 1.2,     -- k1: saturation of occurrences
           0.75,    -- length_part: b, the weight of the length
           3, 2, 2, -- title_weight, keywords_weight, description_weight: of the sections, where the body has 1
           0.6,     -- form_weight: of other forms of a word
           0.7,     -- again_weight: of a word each further time that it stands in the query
           0.3,     -- unit_weight: of io.Text as a phrase, in addition to its words
           0.1,     -- link_weight: of ln(10 · link rank)
           8,       -- near_most: distance of words that are near to each other
           0.3,     -- title_bonus: of Σ idf
           100,     -- rerank_most: documents that are ranked again by the places of the words
           6,       -- all_pairs: of more words only neighbors are pairs
           1048576, -- rank_unit: rank of a score of 1
           32       -- max_terms: of more words that are no conditions the rarest count
$$;

CREATE FUNCTION public.search_plan(query text, match text DEFAULT 'any'::text, forms text DEFAULT 'on'::text, loose boolean DEFAULT false) RETURNS TABLE(part text, n integer, words text[], places integer[], needed boolean, weight double precision, weights double precision[])
    LANGUAGE plpgsql STABLE STRICT ROWS 10 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    s         record;
    total     bigint;
    languages text[]; -- of other forms of words; with none there are no other spellings, either
    stops     text[]; -- words that are left out
BEGIN
    SELECT * INTO s FROM search_parameters();
    total := coalesce((SELECT t.documents FROM totals t), 0);
    CASE forms
    WHEN 'off' THEN
        languages := '{}';
    WHEN 'on' THEN
        languages := search_languages();
    ELSE
        languages := string_to_array(forms, ',');
        IF languages = '{}' OR EXISTS (SELECT FROM unnest(languages) l WHERE NOT l = ANY (form_languages())) THEN
            RAISE EXCEPTION 'search() knows no other forms of words for %: forms is on, off, or languages such as en,de', quote_literal(forms)
                USING ERRCODE = 'invalid_parameter_value';
        END IF;
    END CASE;
    IF match NOT IN ('any', 'all') THEN
        RAISE EXCEPTION 'match is any or all, not %', quote_literal(match) USING ERRCODE = 'invalid_parameter_value';
    END IF;
    stops := CASE WHEN match = 'any' THEN
        ARRAY(SELECT unnest(w.words) FROM stop_words() w WHERE w.lang = ANY (CASE WHEN forms = 'on' THEN languages ELSE search_languages() END))
        ELSE '{}' END;
    RETURN QUERY
    WITH read AS ( -- an exclusion of a single letter is an option and a word, behind the others: zipfile -e
        SELECT t.*, match = 'any' AND t.excluded AND NOT t.phrase AND octet_length(t.word) = 1
            AND bool_or(NOT t.excluded) OVER () AS option
        FROM search_terms(query) t
    ), term_read AS (
        SELECT r.term + CASE WHEN r.option THEN 1000 ELSE 0 END AS term, r.phrase, r.unit, r.must, r.excluded AND NOT r.option AS excluded, r.name,
               array_agg(r.word ORDER BY r.place) AS words, array_agg(r.place ORDER BY r.place) AS places
        FROM read r
        GROUP BY r.term, r.phrase, r.unit, r.must, r.excluded, r.option, r.name
    ), asked AS (
        SELECT r.*, NOT r.excluded AND NOT r.phrase AND NOT r.must AS plain FROM term_read r
    ), content AS ( -- without stop words, if there is anything else
        SELECT a.* FROM asked a
        WHERE NOT (a.plain AND a.words[1] = ANY (stops))
           OR NOT EXISTS (SELECT FROM asked b WHERE NOT b.excluded AND NOT (b.plain AND b.words[1] = ANY (stops)))
    ), kept AS ( -- free: it is no condition if any word is enough. A + has no effect on what is alone
        SELECT c.*, (NOT c.phrase OR c.unit)
                AND NOT (c.must AND (c.excluded OR (SELECT count(*) FROM content d) > 1)) AS free
        FROM content c
    ), mode AS (
        SELECT match = 'any' AND coalesce(bool_or(k.free AND k.unit) OR bool_or(k.free) AND count(*) > 1, false) AS any_word,
               coalesce(sum(cardinality(k.words)) FILTER (WHERE k.free), 0) AS free_words
        FROM kept k WHERE NOT k.excluded
    ), term AS ( -- loose: "phrases" among other words count as if they were written without a blank; always in a pasted text
        SELECT k.term, k.excluded, k.words, k.places, m.any_word, (k.free OR l.loosened) AND m.any_word AS free,
               k.unit OR l.loosened AS unit, k.name, k.phrase AND NOT (l.loosened AND cardinality(k.words) = 1) AS phrase
        FROM kept k CROSS JOIN mode m
        CROSS JOIN LATERAL (SELECT (loose OR m.free_words > s.max_terms) AND m.any_word AND k.phrase AND NOT k.unit AND NOT k.excluded AS loosened) l
    ), single AS ( -- words outside of "phrases". time counts how often the query has had a word
        SELECT t.term, t.unit, t.phrase, t.excluded, t.free, x.word, x.place,
               x.k, x.k = 1 AS first, x.k = cardinality(t.words) AS last,
               row_number() OVER (PARTITION BY t.excluded, x.word ORDER BY t.term, x.place) AS time
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        WHERE NOT t.phrase OR t.unit AND NOT t.excluded
    ), formed AS MATERIALIZED (
        SELECT w.*, v.words || f.words AS words, v.weights || array_fill(s.form_weight, ARRAY[cardinality(f.words)]) AS weights
        FROM single w
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY v.n) AS words, array_agg(v.weight ORDER BY v.n) AS weights
            FROM word_variants(w.word, w.first, w.last, languages <> '{}') WITH ORDINALITY v (word, weight, n)
        ) v
        CROSS JOIN LATERAL (
            SELECT CASE
                WHEN w.unit AND (w.phrase OR NOT EXISTS (SELECT FROM single o WHERE NOT o.unit AND o.word = w.word)) THEN '{}'
                ELSE ARRAY(
                    SELECT f.form
                    -- Of the languages of the documents the script tells Korean, however few documents are in it.
                    FROM unnest(CASE WHEN forms = 'on' AND hangul_word(w.word) THEN '{ko}' ELSE languages END) WITH ORDINALITY l (lang, n)
                    CROSS JOIN LATERAL word_forms(w.word, l.lang) WITH ORDINALITY f (form, documents, n)
                    GROUP BY f.form
                    ORDER BY min(l.n), min(f.n)) END AS words
        ) f
    ), weighed AS MATERIALIZED (
        -- The number of documents with any form is between the largest and the sum of their numbers.
        SELECT f.*, search_idf((SELECT coalesce((max(u.urlcount) + sum(u.urlcount)) / 2, 0) FROM unnest(f.words) x (word) JOIN wordurl u ON u.word = x.word), total) AS idf
        FROM formed f
    ), chosen AS ( -- of many words those that add most: rare and repeated ones. A word of a unit is repeated with its unit
        SELECT w.*, w.idf * (s.k1 + 1) * w.again AS most, w.excluded OR NOT w.free OR w.importance <= s.max_terms AS counts
        FROM (
            SELECT w.*, dense_rank() OVER (PARTITION BY w.excluded, w.free ORDER BY w.absent, w.total DESC, w.first_term, w.first_place) AS importance
            FROM (
                SELECT w.*, sum(w.idf * w.again) OVER same AS total, min(w.term) OVER same AS first_term, min(w.place) OVER same AS first_place,
                    NOT EXISTS (SELECT FROM wordurl u WHERE u.word = ANY (w.words) AND u.urlcount > 0)
                        AND NOT EXISTS (SELECT FROM wordurl1 u WHERE u.word = ANY (w.words)) AS absent
                FROM (
                    SELECT w.*, CASE WHEN w.time > 1 THEN s.again_weight ELSE 1 END AS again,
                        CASE WHEN w.phrase THEN (SELECT t.words FROM term t WHERE t.term = w.term) || (w.k::text) ELSE ARRAY[w.word] END AS entry
                    FROM weighed w
                ) w
                WINDOW same AS (PARTITION BY w.excluded, w.free, w.phrase, w.entry)
            ) w
        ) w
    ), phrased AS ( -- the weight of a phrase is the sum of those of its words, as if they were independent of each other
        SELECT t.term, t.unit, t.name, t.words, t.places, t.free, sum(search_idf(coalesce(u.urlcount, 0), total)) AS idf
        FROM term t CROSS JOIN LATERAL unnest(t.words) x (word) LEFT JOIN wordurl u ON u.word = x.word
        WHERE t.phrase AND NOT t.excluded AND t.term NOT IN (SELECT c.term FROM chosen c WHERE NOT c.counts)
        GROUP BY t.term, t.unit, t.name, t.words, t.places, t.free
    ), spelled AS MATERIALIZED ( -- the words of phrases with all their spellings, which take the same place
        SELECT t.term, t.excluded, x.place, x.word, array_agg(v.word ORDER BY v.n) AS words
        FROM term t CROSS JOIN LATERAL unnest(t.words, t.places) WITH ORDINALITY x (word, place, k)
        CROSS JOIN LATERAL word_variants(x.word, x.k = 1, x.k = cardinality(t.words), languages <> '{}') WITH ORDINALITY v (word, weight, n)
        WHERE t.phrase
        GROUP BY t.term, t.excluded, x.place, x.word
    ), near AS ( -- each word once, in their order
        SELECT DISTINCT ON (w.words[1]) w.term, w.place, w.words, w.idf
        FROM (
            SELECT c.term, c.place, c.words, c.idf FROM chosen c WHERE NOT c.excluded AND c.counts
            UNION ALL
            SELECT p.term, x.place, x.words, search_idf(coalesce(u.urlcount, 0), total)
            FROM phrased p JOIN spelled x ON x.term = p.term LEFT JOIN wordurl u ON u.word = x.word
            WHERE NOT p.unit
        ) w
        ORDER BY w.words[1], w.term, w.place
    )
    SELECT r.part, row_number() OVER (ORDER BY r.class, r.term, r.place)::integer, r.words, r.places, r.needed, r.weight, r.weights
    FROM (
        SELECT 1 AS class, 'word' AS part, c.term, c.place, c.words, NULL::integer[] AS places, NOT c.free AS needed, c.most AS weight, c.weights
        FROM chosen c WHERE NOT c.excluded AND c.counts
        UNION ALL
        SELECT 2, CASE WHEN p.unit THEN 'unit' ELSE 'phrase' END, p.term, p.places[1], x.words, x.places, NOT p.free,
               p.idf * (s.k1 + 1) * CASE WHEN p.name THEN 2 * s.unit_weight WHEN p.unit THEN s.unit_weight ELSE 1 END, NULL
        FROM phrased p
        CROSS JOIN LATERAL (
            SELECT array_agg(v.word ORDER BY x.place, v.n) AS words, array_agg(x.place ORDER BY x.place, v.n) AS places
            FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
            WHERE x.term = p.term
        ) x
        UNION ALL
        SELECT 3, 'near', a.term, a.place, a.words, NULL, false, a.idf, NULL FROM near a
        UNION ALL
        SELECT 4, 'not', c.term, c.place, c.words, NULL, false, 0, NULL FROM chosen c WHERE c.excluded
        UNION ALL
        SELECT 4, 'not', x.term, min(x.place), array_agg(v.word ORDER BY x.place, v.n), array_agg(x.place ORDER BY x.place, v.n), false, 0, NULL
        FROM spelled x CROSS JOIN LATERAL unnest(x.words) WITH ORDINALITY v (word, n)
        WHERE x.excluded
        GROUP BY x.term
    ) r;
END $$;

CREATE FUNCTION public.search_rank(bits integer, occurrences integer, link integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN CASE WHEN ((bits & 24576) <> 0) THEN (((bits)::bigint << 16) + LEAST((link + (trunc(((2000)::double precision * ln((occurrences)::double precision))))::integer), 65535)) ELSE ((((bits & 63488))::bigint << 16) + (LEAST((link + (trunc(((2000)::double precision * ln((occurrences)::double precision))))::integer), 65535) << 11)) END;

CREATE FUNCTION public.search_score(lists bytea[], terms integer[], phrases boolean[], places integer[], link integer) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    words   integer := cardinality(terms);
    starts  integer[] := '{}'; -- index of the first word of each term, and one after the last
    count   integer := 0;      -- number of terms
    i       integer := 1;
    k       integer;
    found   integer[];
    begins  integer[] := '{}'; -- places where phrases begin
    best    integer;           -- best section of a term
    times   integer;
    section integer := 3;      -- the worst of the terms' sections
    often   integer;           -- occurrences of the rarest term in its section
    ordinal integer;
    pairs   integer := 0;      -- neighboring terms that are adjacent in the document, too
    quality integer;           -- 3 = all terms are adjacent
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
        EXIT WHEN pairs = 2 AND j > 2; -- more make no difference
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

CREATE FUNCTION public.search_terms(query text) RETURNS TABLE(term integer, phrase boolean, excluded boolean, place integer, word text, unit boolean, must boolean, name boolean)
    LANGUAGE plpgsql STABLE STRICT ROWS 5 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    max_words CONSTANT integer := 32;  -- of words of which the search cannot choose (query.MaxTerms)
    most      CONSTANT integer := 512; -- of all words (query.mostTerms)
    quotes    CONSTANT text := '["\u201C-\u201F]';
    -- Characters that join words without a blank between them, and invisible characters.
    joiners   CONSTANT text := '[-_''’`./\\:@&#%=~^$·‐‑\u00AD\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u180E\u200B-\u200F'
        || '\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB]';
    rules     wordrules;
    txt       text;
    c         text;
    written   record;            -- words without a blank between them, such as pg_stat_activity
    stored    text[];            -- these words, NULL where the index leaves the word out
    behind    integer := 1;      -- the first character that is not yet read
    quoted    boolean := false;
    opened    integer;           -- number of the term that a quotation mark began
    without   boolean;           -- whether that term is excluded
    apart     boolean := true;   -- at the beginning, or after a separator
    minus     boolean := false;
    plus      boolean := false;
    previous  integer := 0;      -- the term before an AND
    terms     integer := 0;
    inside    integer;           -- place in the excluded term
    onward    integer := 0;      -- place among the terms that are not excluded
    left_out  boolean := false;  -- the index leaves out a word that is not excluded
    -- The rows, and the terms that a + or AND makes conditions.
    row_terms integer[] := '{}';
    phrases   boolean[] := '{}';
    units     boolean[] := '{}';
    names     boolean[] := '{}';
    exclusions boolean[] := '{}';
    places    integer[] := '{}';
    words     text[] := '{}';
    musts     integer[] := '{}';
    positive  integer;           -- number of terms that are not excluded
    spare     integer;           -- number of words of which the search can choose
BEGIN
    IF octet_length(query) > 2048 THEN
        RAISE EXCEPTION 'the query is too long: it has % bytes, and 2048 are allowed', octet_length(query)
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    txt := regexp_replace(query, '[\u0001-\u001F\u007F-\u009F]', ' ', 'g');
    SELECT r.* INTO rules FROM wordrules r;
    FOR written IN
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
        SELECT char_length(txt) + 1, char_length(txt) + 1, '{}' -- the end of the query, so that the characters before it are read
        ORDER BY 1
    LOOP
        FOR i IN behind .. written.first - 1 LOOP
            c := substr(txt, i, 1);
            IF c ~ quotes THEN
                quoted := NOT quoted;
                apart := false;
                IF quoted THEN
                    terms := terms + 1;
                    opened := terms;
                    without := minus;
                    minus := false;
                    plus := false; -- a phrase is a condition anyway
                    previous := 0;
                    inside := 0;
                END IF;
            ELSIF c = '?' AND written.words <> '{}' AND substr(txt, i, written.first - i) ~ '^[?]+$'
                AND (behind = 1 OR substr(txt, behind, i - behind) !~ ('^' || joiners || '*[?]*$')) THEN
                NULL; -- punctuation before a word, as behind one
            ELSIF c = '?' AND behind > 1 AND substr(txt, behind, i - behind + 1) ~ '^[?]+$'
                AND substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*[*]')
                AND (written.words = '{}' OR substr(txt, i, written.first - i) !~ ('^[?]+' || joiners || '*$')) THEN
                apart := false; -- the end of a question
            ELSIF c IN ('(', ')', '*', '?') OR c = '|' AND NOT quoted THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language', c, i
                    USING ERRCODE = 'feature_not_supported';
            ELSIF c IN ('-', '+') AND apart AND NOT quoted
                AND (written.words <> '{}' AND substr(txt, i + 1, written.first - i - 1) ~ '^[?]*$' OR substr(txt, i + 1, 1) ~ quotes) THEN
                minus := c = '-';
                plus := c = '+' OR plus;
                apart := false;
            ELSE
                apart := c !~ joiners;
            END IF;
        END LOOP;
        EXIT WHEN written.words = '{}';
        behind := written.last + 1;
        apart := false;
        IF NOT quoted THEN
            c := substring(substr(txt, written.first) FROM '^(?:title|intitle|body|desc|keywords|site|filetype|inurl|lang):');
            IF c IS NULL AND terms = 0 THEN
                c := substring(txt FROM '^\s*(link:)');
            END IF;
            IF cardinality(written.words) = 1 AND written.last - written.first < 3 THEN
                CASE substr(txt, written.first, written.last - written.first + 1)
                WHEN 'AND' THEN -- makes the terms before and behind it conditions
                    musts := musts || previous;
                    plus := true;
                    CONTINUE;
                WHEN 'OR' THEN
                    c := 'OR';
                ELSE
                END CASE;
            END IF;
            IF c IS NOT NULL THEN
                RAISE EXCEPTION 'search() supports words, "phrases", +conditions and -exclusions: % at character % is part of searchd''s query language',
                    c, written.first USING ERRCODE = 'feature_not_supported', HINT = CASE c
                        WHEN 'site:' THEN 'Write the argument site: search(''word'', site => ''www.example.org'')'
                        WHEN 'lang:' THEN 'Write the argument lang: search(''word'', lang => ''en'')'
                        WHEN 'filetype:' THEN 'Write the argument type: search(''word'', type => ''pdf'')'
                        WHEN 'inurl:' THEN 'The argument path limits to the beginning of a path: search(''word'', path => ''/docs/'')'
                        ELSE 'searchd and index --search know it. In quotes it is a word' END;
            END IF;
            terms := terms + 1;
            inside := 0;
            without := minus;
            IF plus AND NOT minus THEN
                musts := musts || terms;
            END IF;
            minus := false;
            plus := false;
        END IF;
        stored := ARRAY(
            SELECT CASE WHEN char_length(w.word) BETWEEN rules.min_length AND rules.max_length AND NOT w.word = ANY (rules.stopwords)
                THEN w.word END
            FROM unnest(written.words) WITH ORDINALITY w (word, n) ORDER BY w.n);
        previous := CASE WHEN without OR quoted OR array_remove(stored, NULL) = '{}' THEN 0 ELSE terms END;
        left_out := left_out OR NOT without AND array_position(stored, NULL) IS NOT NULL;
        FOREACH word IN ARRAY stored LOOP -- a word that is left out still takes a place
            IF word IS NOT NULL THEN
                row_terms := row_terms || CASE WHEN quoted THEN opened ELSE terms END;
                words := words || word;
                places := places || CASE WHEN without THEN inside ELSE onward END;
                phrases := phrases || (quoted OR cardinality(array_remove(stored, NULL)) > 1);
                units := units || (NOT quoted AND cardinality(array_remove(stored, NULL)) > 1);
                names := names || (units[cardinality(units)] AND array_position(stored, NULL) IS NULL
                    AND substr(txt, written.first, written.last - written.first + 1) ~ '^[0-9A-Za-z]{2,}([_.]+[0-9A-Za-z]{2,})+$');
                exclusions := exclusions || without;
                EXIT WHEN cardinality(words) > most;
            END IF;
            inside := inside + 1;
            onward := onward + CASE WHEN without THEN 0 ELSE 1 END;
        END LOOP;
    END LOOP;
    -- A query that is nothing but -header is the word.
    IF NOT left_out AND NOT false = ANY (exclusions) AND row_terms[1] = ALL (row_terms) THEN
        exclusions := array_fill(false, ARRAY[cardinality(words)]);
    END IF;
    SELECT count(DISTINCT t.term) INTO positive FROM unnest(row_terms, exclusions) t (term, excluded) WHERE NOT t.excluded;
    IF positive = 1 THEN
        musts := '{}'; -- it is the only one
    END IF;
    -- Of more words that are no conditions a search uses the most significant.
    SELECT count(*) INTO spare
    FROM unnest(row_terms, phrases, units, exclusions) t (term, phrase, unit, excluded)
    WHERE (NOT t.phrase OR t.unit) AND NOT t.excluded AND NOT t.term = ANY (musts);
    IF cardinality(words) > most OR cardinality(words) - spare > max_words THEN
        RAISE EXCEPTION 'the query has too many words: % are allowed, besides words of which any is enough', max_words
            USING ERRCODE = 'program_limit_exceeded';
    END IF;
    RETURN QUERY
    SELECT t.term, t.phrase, t.excluded, t.place, t.word, t.unit, NOT t.excluded AND t.term = ANY (musts), t.name
    FROM unnest(row_terms, phrases, exclusions, places, words, units, names) WITH ORDINALITY t (term, phrase, excluded, place, word, unit, name, n)
    ORDER BY t.n;
END $_$;

CREATE FUNCTION public.site_bits(packed integer[]) RETURNS TABLE(site_id integer, bits integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    BEGIN ATOMIC
 SELECT (p.p & 16777215),
     ((p.p >> 24) & 255)
    FROM unnest(site_bits.packed) p(p);
END;

CREATE FUNCTION public.site_labels(site text) RETURNS TABLE(label text, bits integer)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    BEGIN ATOMIC
 SELECT p.part,
     bit_or(
         CASE
             WHEN ((p.parts - p.n) < 8) THEN (1 << (31 - ((p.parts - p.n))::integer))
             ELSE 0
         END) AS bit_or
    FROM ( SELECT h.part,
             h.n,
             count(*) OVER () AS parts
            FROM unnest(string_to_array(lower(split_part(split_part(site_labels.site, '://'::text, 2), '/'::text, 1)), '.'::text)) WITH ORDINALITY h(part, n)) p
   WHERE ((p.part <> ''::text) AND (char_length(p.part) <= 32))
   GROUP BY p.part;
END;

CREATE FUNCTION public.sites_named(names text) RETURNS TABLE(name text, site text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT x.name, s.site
    FROM unnest(string_to_array(replace(names, ' ', ''), ',')) x (name)
    LEFT JOIN sites s ON s.site IN (x.name, x.name || '/', 'http://' || x.name || '/', 'https://' || x.name || '/',
        CASE WHEN lower(x.name) IN ('file', 'file:', 'file://') THEN 'file:///' END)
    WHERE x.name <> ''
$$;

CREATE FUNCTION public.status_base(status integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (status & 65535);

CREATE FUNCTION public.status_lost(status integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((status >> 16) & 2047);

CREATE FUNCTION public.status_lost_count(status integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ((status >> 27) & 15);

CREATE TABLE public.subsetdocs (
    subset_id integer NOT NULL,
    site_id integer NOT NULL,
    block integer NOT NULL,
    docs integer[],
    CONSTRAINT subsetdocs_block_check CHECK ((block >= '-1'::integer)),
    CONSTRAINT subsetdocs_check CHECK (((block = '-1'::integer) = (docs IS NULL))),
    CONSTRAINT subsetdocs_docs_check CHECK ((cardinality(docs) > 0))
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY public.subsetdocs ALTER COLUMN docs SET STORAGE EXTERNAL;

CREATE TABLE public.urlword (
    url_id integer NOT NULL,
    site_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    url text NOT NULL,
    next_index_time bigint DEFAULT 0 NOT NULL,
    status integer DEFAULT 0 NOT NULL,
    crc text DEFAULT ''::text NOT NULL,
    last_modified text DEFAULT ''::text NOT NULL,
    etag text DEFAULT ''::text NOT NULL,
    last_index_time bigint DEFAULT 0 NOT NULL,
    referrer integer DEFAULT 0 NOT NULL,
    tag integer DEFAULT 0 NOT NULL,
    hops smallint DEFAULT 0 NOT NULL,
    redir integer DEFAULT 0 NOT NULL,
    origin integer DEFAULT 0 NOT NULL,
    CONSTRAINT urlword_crc_check CHECK ((char_length(crc) <= 32)),
    CONSTRAINT urlword_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlword_hops_check CHECK ((hops >= 0)),
    CONSTRAINT urlword_status_check CHECK ((status >= 0)),
    CONSTRAINT urlword_url_check CHECK ((octet_length(url) <= 2048)),
    CONSTRAINT urlword_url_id_check CHECK ((url_id > 0))
)
WITH (fillfactor='85', autovacuum_vacuum_scale_factor='0.05');

CREATE FUNCTION public.subset_documents(the_subset integer) RETURNS TABLE(site_id integer, url_id integer)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    BEGIN ATOMIC
 SELECT d.site_id,
     doc.doc
    FROM (public.subsetdocs d
      CROSS JOIN LATERAL unnest(d.docs) doc(doc))
   WHERE (d.subset_id = subset_documents.the_subset)
 UNION ALL
  SELECT w.site_id,
     w.url_id
    FROM (public.subsetdocs d
      JOIN public.urlword w ON ((w.site_id = d.site_id)))
   WHERE ((d.subset_id = subset_documents.the_subset) AND (d.block = '-1'::integer) AND (w.deleted = 0) AND (w.status <> 0) AND ((w.status & 65535) = 200) AND (w.origin = 0));
END;

CREATE FUNCTION public.text_words(txt text) RETURNS TABLE(place integer, word text, first integer, last integer)
    LANGUAGE plpgsql IMMUTABLE STRICT ROWS 20 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    run    text; -- the classes of a run of characters
    piece  text; -- the classes of a run of the folded text
    raw    text;
    folded text;
    before integer := 0; -- characters of txt before the run
    at     integer;      -- characters of folded before the piece
BEGIN
    place := 0;
    FOR run IN SELECT r.m[1] FROM regexp_matches(character_classes(txt), 'l[lmi]*|h[hmiz]*|t[tmiz]*|[mniz]+', 'g') r (m) LOOP
        IF left(run, 1) IN ('m', 'n', 'i', 'z') THEN
            before := before + length(run);
            CONTINUE;
        END IF;
        first := before + 1;
        last := before + length(run);
        raw := substr(txt, first, length(run));
        IF left(run, 1) = 'l' AND (length(replace(run, 'i', '')) > 256 OR octet_length(raw) = length(run)) THEN
            -- NFKC cannot make 32 characters of more than 256, and does nothing to ASCII.
            word := CASE WHEN length(run) <= 32 THEN lower(raw COLLATE "C") ELSE '' END;
            RETURN NEXT;
            place := place + 1;
            before := last;
            CONTINUE;
        END IF;
        -- What is not seen is no part of a word.
        folded := raw;
        IF run ~ '[iz]' THEN
            SELECT string_agg(c.c, '' ORDER BY c.n) INTO folded
            FROM string_to_table(raw, NULL) WITH ORDINALITY c (c, n) WHERE substr(run, c.n::integer, 1) NOT IN ('i', 'z');
        END IF;
        folded := fold_word(folded);
        at := 0;
        -- NFKC may bring blanks and signs into a run. They end words there as anywhere else.
        FOR piece IN
            SELECT r.m[1] FROM regexp_matches(character_classes(folded), '[lht][lhtm]*|[mniz]+', 'g') r (m)
        LOOP
            IF left(piece, 1) IN ('l', 'h', 't') THEN
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

CREATE FUNCTION public.type_named(name text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
    SELECT CASE t.name
        WHEN 'htm' THEN 'html' WHEN 'shtml' THEN 'html' WHEN 'xhtml' THEN 'html' WHEN 'xht' THEN 'html'
        WHEN 'txt' THEN 'text' WHEN 'plain' THEN 'text' WHEN 'md' THEN 'markdown' WHEN 'js' THEN 'javascript'
        WHEN 'rss' THEN 'feed' WHEN 'atom' THEN 'feed'
        WHEN 'doc' THEN 'word' WHEN 'docx' THEN 'word' WHEN 'odt' THEN 'word'
        WHEN 'xls' THEN 'sheet' WHEN 'xlsx' THEN 'sheet' WHEN 'ods' THEN 'sheet'
        WHEN 'ppt' THEN 'slides' WHEN 'pptx' THEN 'slides' WHEN 'odp' THEN 'slides'
        ELSE t.name END
    FROM (SELECT ltrim(lower(btrim(name)), '.')) t (name)
$$;

CREATE FUNCTION public.u32le(b bytea, at integer) RETURNS integer
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (((get_byte(b, at) | (get_byte(b, (at + 1)) << 8)) | (get_byte(b, (at + 2)) << 16)) | (get_byte(b, (at + 3)) << 24));

CREATE FUNCTION public.url_pattern(url text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN ("substring"(url, '^[^/]*//[^/]*'::text) || regexp_replace(regexp_replace(regexp_replace(COALESCE("substring"(url, '^[^/]*//[^/]*(/.*)$'::text), ''::text), '(?<![0-9A-Za-z])[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![0-9A-Za-z])'::text, '{id}'::text, 'g'::text), '(?<![0-9A-Za-z])(?=[A-Za-z]*[0-9])(?=[0-9]*[A-Za-z])([0-9A-Fa-f]{8,}|[0-9A-Za-z]{20,})(?![0-9A-Za-z])'::text, '{id}'::text, 'g'::text), '(?<!%)(?<!%[0-9A-F])[0-9]+'::text, '{n}'::text, 'g'::text));

CREATE FUNCTION public.weighted_phrase(lists bytea[], offsets integer[], norm double precision) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    p      record;
    begins integer[] := phrase_places(lists, offsets);
BEGIN
    IF begins = '{}' THEN
        RETURN 0;
    END IF;
    SELECT * INTO p FROM search_parameters();
    RETURN (SELECT sum(CASE b >> 14 WHEN 0 THEN 1 / norm WHEN 1 THEN p.description_weight WHEN 2 THEN p.keywords_weight ELSE p.title_weight END)
        FROM unnest(begins) b);
END $$;

CREATE FUNCTION public.weighted_places(places bytea, norm double precision) RETURNS double precision
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    p           record;
    all_places  integer := octet_length(places) / 2;
    body        integer := places_before(places, 16384);
    description integer := places_before(places, 32768);
    keywords    integer := places_before(places, 49152);
BEGIN
    SELECT * INTO p FROM search_parameters();
    RETURN body / norm + (description - body) * p.description_weight + (keywords - description) * p.keywords_weight
        + (all_places - keywords) * p.title_weight;
END $$;

CREATE FUNCTION public.weighted_word(places bytea, norm double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN (get_byte(places, (octet_length(places) - 1)) < 64) THEN (((octet_length(places) / 2))::double precision / norm) ELSE public.weighted_places(places, norm) END;

CREATE FUNCTION public.word_records(blob bytea) RETURNS TABLE(url_id integer, places bytea)
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    size   integer := octet_length(blob);
    at     integer;
    starts integer[] := '{}';
BEGIN
    IF size = 0 THEN
        RETURN;
    END IF;
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    at := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE size END;
    IF at < 12 OR at % 8 <> 4 OR at > size - 6 OR u32le(blob, at - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, at USING ERRCODE = 'data_corrupted';
    END IF;
    -- The records of all sites are adjacent. Only their counts are read one by one, the rest by one statement.
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

CREATE TABLE public.rt_urls (
    url_id integer NOT NULL,
    seq bigint NOT NULL,
    words bytea DEFAULT '\x0100'::bytea NOT NULL
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY public.rt_urls ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.wordfile (
    word_id integer NOT NULL,
    level smallint NOT NULL,
    first_site integer NOT NULL,
    first_url integer NOT NULL,
    seq bigint NOT NULL,
    urlcount integer NOT NULL,
    totalcount integer NOT NULL,
    urls bytea NOT NULL,
    CONSTRAINT wordfile_level_check CHECK (((level >= 0) AND (level <= 2))),
    CONSTRAINT wordfile_urls_check CHECK ((octet_length(urls) > 0))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.1');

CREATE TABLE public.wordurl (
    word text NOT NULL COLLATE pg_catalog."C",
    word_id integer NOT NULL,
    urls bytea DEFAULT '\x'::bytea NOT NULL,
    urlcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    CONSTRAINT wordurl_urls_check CHECK ((octet_length(urls) <= 1000)),
    CONSTRAINT wordurl_word_check CHECK (((char_length(word) >= 1) AND (char_length(word) <= 32))),
    CONSTRAINT wordurl_word_id_check CHECK ((word_id > 0))
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_analyze_scale_factor='0.1', fillfactor='76');
ALTER TABLE ONLY public.wordurl ALTER COLUMN urls SET STORAGE PLAIN;

CREATE TABLE public.wordurl1 (
    word text NOT NULL COLLATE pg_catalog."C",
    word_id integer NOT NULL,
    urls bytea NOT NULL,
    urlcount integer NOT NULL,
    totalcount integer NOT NULL,
    CONSTRAINT wordurl1_urls_check CHECK ((octet_length(urls) > 0)),
    CONSTRAINT wordurl1_word_check CHECK (((char_length(word) >= 1) AND (char_length(word) <= 32)))
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY public.wordurl1 ALTER COLUMN urls SET STORAGE EXTERNAL;

CREATE FUNCTION public.word_documents(the_word text) RETURNS TABLE(url_id integer, places bytea)
    LANGUAGE sql STABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT n.url_id,
     n.places
    FROM ( SELECT r.url_id,
             r.places
            FROM (public.wordurl w
              CROSS JOIN LATERAL public.word_records(w.urls) r(url_id, places))
           WHERE (w.word = word_documents.the_word)
         UNION ALL
          SELECT f.url_id,
             f.places
            FROM ( SELECT DISTINCT ON (r.url_id) r.url_id,
                     r.places
                    FROM ((public.wordurl w
                      JOIN public.wordfile f_1 ON ((f_1.word_id = w.word_id)))
                      CROSS JOIN LATERAL public.word_records(f_1.urls) r(url_id, places))
                   WHERE (w.word = word_documents.the_word)
                   ORDER BY r.url_id, f_1.level, f_1.seq DESC) f
           WHERE (f.places <> '\x'::bytea)) n
   WHERE (NOT (EXISTS ( SELECT
            FROM public.rt_urls r
           WHERE (r.url_id = n.url_id))))
 UNION ALL
  SELECT r.url_id,
     r.places
    FROM (public.wordurl1 w
      CROSS JOIN LATERAL public.word_records(w.urls) r(url_id, places))
   WHERE (w.word = word_documents.the_word);
END;

CREATE FUNCTION public.word_forms(the_word text, lang text) RETURNS TABLE(form text, documents integer)
    LANGUAGE plpgsql STABLE STRICT ROWS 5 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $_$
DECLARE
    -- Bounds of a search for other forms, as in search/forms.go.
    korean      CONSTANT boolean := lang = 'ko';
    form_least  CONSTANT integer := CASE WHEN korean THEN 2 ELSE 3 END;    -- minimum length of the common prefix, in characters
    forms_most  CONSTANT integer := CASE WHEN korean THEN 256 ELSE 16 END; -- maximum number of forms; those in the most documents count
    form_ending CONSTANT integer := 10;   -- maximum length of an ending, in characters
    form_limit  CONSTANT integer := 5000; -- maximum number of words read from the dictionary, with accents and without
    plain       text := plain_word(the_word);
    stem        text := plain_word(word_stem(the_word, lang));
    prefix      text := regexp_replace(stem, 'i$', ''); -- theory and theories have the stem theori
BEGIN
    IF NOT lang = ANY (form_languages()) THEN
        RAISE EXCEPTION 'word_forms() knows no other forms of words for lang %: the languages are %', quote_literal(lang), array_to_string(form_languages(), ', ')
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    WHILE NOT starts_with(plain, prefix) LOOP
        prefix := left(prefix, -1);
    END LOOP;
    IF char_length(prefix) < form_least OR hangul_word(the_word) <> korean THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT w.word, w.urlcount
    FROM (
        (SELECT u.word, u.urlcount
        FROM wordurl u
        WHERE u.word >= prefix AND u.word < prefix || U&'\+10FFFF' AND char_length(u.word) <= char_length(prefix) + form_ending
        ORDER BY u.word
        LIMIT form_limit)
        UNION
        (SELECT u.word, u.urlcount
        FROM wordurl u
        WHERE plain_word(u.word) >= prefix AND plain_word(u.word) < prefix || U&'\+10FFFF' AND plain_word(u.word) <> u.word
          AND char_length(u.word) <= char_length(prefix) + form_ending
        ORDER BY plain_word(u.word)
        LIMIT form_limit)
    ) w
    WHERE w.word <> the_word
      AND (korean -- what begins with a noun has it: the rest is particles or makes a compound
        OR plain_word(w.word) <> plain
        AND (plain_word(word_stem(w.word, lang)) = stem
            -- comando and comandi: Snowball's algorithm takes the first for a gerund.
            OR lang = 'it' AND octet_length(the_word) >= 6 AND left(w.word, -1) = left(the_word, -1) AND right(w.word, 1) ~ '[aeio]' AND right(the_word, 1) ~ '[aeio]'))
    ORDER BY w.urlcount DESC, w.word
    LIMIT forms_most;
END $_$;

CREATE FUNCTION public.word_info(blob bytea) RETURNS TABLE(site_id integer, url_id integer, cnt integer, positions integer[])
    LANGUAGE plpgsql IMMUTABLE STRICT ROWS 100 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    size   integer := octet_length(blob);
    head   integer;
    at     integer;
    finish integer;
    before integer := 0;
    next   integer;
BEGIN
    IF size = 0 THEN
        RETURN;
    END IF;
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    head := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE 0 END;
    IF head < 12 OR head % 8 <> 4 OR head > size OR u32le(blob, head - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, head USING ERRCODE = 'data_corrupted';
    END IF;
    at := head;
    FOR s IN 0 .. (head - 4) / 8 - 1 LOOP
        site_id := u32le(blob, 8 * s + 4);
        finish := u32le(blob, 8 * s + 8);
        IF site_id <= before OR finish <= at OR finish > size THEN
            RAISE EXCEPTION 'word blob damaged at byte %: site % from % to %', 8 * s, site_id, at, finish
                USING ERRCODE = 'data_corrupted';
        END IF;
        before := site_id;
        url_id := 0;
        WHILE at < finish LOOP
            next := 0;
            IF at + 6 <= finish THEN
                next := u32le(blob, at);
                cnt := get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8);
            END IF;
            IF next <= url_id OR at + 6 + 2 * cnt > finish THEN
                RAISE EXCEPTION 'word blob damaged at byte %: a record of site %', at, site_id USING ERRCODE = 'data_corrupted';
            END IF;
            url_id := next;
            positions := ARRAY(
                SELECT get_byte(blob, p) | (get_byte(blob, p + 1) << 8)
                FROM generate_series(at + 6, at + 4 + 2 * cnt, 2) p);
            at := at + 6 + 2 * cnt;
            RETURN NEXT;
        END LOOP;
    END LOOP;
END $$;

CREATE FUNCTION public.word_positions(blob bytea, the_site integer, the_url integer) RETURNS integer[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    size   integer := octet_length(blob);
    head   integer;
    low    integer := 0;
    high   integer;
    middle integer;
    at     integer;
    finish integer;
    key    bytea := set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, the_url & 255), 1, (the_url >> 8) & 255),
                        2, (the_url >> 16) & 255), 3, (the_url >> 24) & 255);
    found  integer;
    cnt    integer;
BEGIN
    IF size = 0 THEN
        RETURN NULL;
    END IF;
    blob := blob || ''::bytea; -- fetches a TOASTed value once, not again for every byte
    head := CASE WHEN size >= 18 THEN u32le(blob, 0) ELSE 0 END;
    IF head < 12 OR head % 8 <> 4 OR head > size OR u32le(blob, head - 4) <> size THEN
        RAISE EXCEPTION 'not a word blob: % bytes, first number %', size, head USING ERRCODE = 'data_corrupted';
    END IF;
    high := (head - 4) / 8 - 1;
    WHILE low < high LOOP
        middle := (low + high) / 2;
        IF u32le(blob, 8 * middle + 4) < the_site THEN
            low := middle + 1;
        ELSE
            high := middle;
        END IF;
    END LOOP;
    IF u32le(blob, 8 * low + 4) <> the_site THEN
        RETURN NULL;
    END IF;
    at := u32le(blob, 8 * low);
    finish := u32le(blob, 8 * low + 8);
    IF at < head OR finish <= at OR finish > size THEN
        RAISE EXCEPTION 'word blob damaged at byte %: site % from % to %', 8 * low, the_site, at, finish USING ERRCODE = 'data_corrupted';
    END IF;
    -- Records have no index. The bytes of the id give a candidate, and the walk over the counts decides whether a record begins there.
    LOOP
        found := position(key IN substring(blob FROM at + 1 FOR finish - at));
        IF found = 0 OR at + found + 5 > finish THEN
            RETURN NULL;
        END IF;
        found := at + found - 1;
        WHILE at < found LOOP
            at := at + 6 + 2 * (get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8));
        END LOOP;
        EXIT WHEN at = found;
        IF at >= finish THEN
            RETURN NULL;
        END IF;
    END LOOP;
    cnt := get_byte(blob, at + 4) | (get_byte(blob, at + 5) << 8);
    IF at + 6 + 2 * cnt > finish THEN
        RAISE EXCEPTION 'word blob damaged at byte %: a record of site %', at, the_site USING ERRCODE = 'data_corrupted';
    END IF;
    RETURN ARRAY(
        SELECT get_byte(blob, p) | (get_byte(blob, p + 1) << 8)
        FROM generate_series(at + 6, at + 4 + 2 * cnt, 2) p);
END $$;

CREATE FUNCTION public.word_postings(the_word text) RETURNS TABLE(site_id integer, url_id integer, url text, cnt integer, positions integer[])
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    BEGIN ATOMIC
 WITH entry AS MATERIALIZED (
          SELECT i.site_id,
             i.url_id,
             i.cnt,
             i.positions,
             0 AS level,
             (0)::bigint AS seq
            FROM (public.wordurl w
              CROSS JOIN LATERAL public.word_info(w.urls) i(site_id, url_id, cnt, positions))
           WHERE (w.word = word_postings.the_word)
         UNION ALL
          SELECT i.site_id,
             i.url_id,
             i.cnt,
             i.positions,
             f.level,
             f.seq
            FROM ((public.wordurl w
              JOIN public.wordfile f ON ((f.word_id = w.word_id)))
              CROSS JOIN LATERAL public.word_info(f.urls) i(site_id, url_id, cnt, positions))
           WHERE (w.word = word_postings.the_word)
         ), newest AS MATERIALIZED (
          SELECT DISTINCT ON (e.site_id, e.url_id) e.site_id,
             e.url_id,
             e.cnt,
             e.positions
            FROM entry e
           ORDER BY e.site_id, e.url_id, e.level, e.seq DESC
         ), posting AS MATERIALIZED (
          SELECT n.site_id,
             n.url_id,
             n.cnt,
             n.positions
            FROM (newest n
              LEFT JOIN public.rt_urls r ON ((r.url_id = n.url_id)))
           WHERE ((n.cnt > 0) AND (r.url_id IS NULL))
         UNION ALL
          SELECT i.site_id,
             i.url_id,
             i.cnt,
             i.positions
            FROM (public.wordurl1 w
              CROSS JOIN LATERAL public.word_info(w.urls) i(site_id, url_id, cnt, positions))
           WHERE (w.word = word_postings.the_word)
         )
  SELECT p.site_id,
     p.url_id,
     u.url,
     p.cnt,
     p.positions
    FROM (posting p
      JOIN public.urlword u ON ((u.url_id = p.url_id)))
   ORDER BY p.site_id, p.url_id;
END;

CREATE FUNCTION public.word_spellings(typed text) RETURNS TABLE(word text, documents integer)
    LANGUAGE sql STABLE ROWS 4 PARALLEL SAFE
    BEGIN ATOMIC
 SELECT s.word,
     s.urlcount
    FROM ( SELECT w.word,
             w.urlcount
            FROM public.wordurl w
           WHERE (w.word = ANY (ARRAY[public.plain_word(word_spellings.typed), replace(replace(replace(word_spellings.typed, 'ae'::text, 'ä'::text), 'oe'::text, 'ö'::text), 'ue'::text, 'ü'::text), replace(replace(replace(word_spellings.typed, 'aa'::text, 'å'::text), 'ae'::text, 'æ'::text), 'oe'::text, 'ø'::text), replace(replace(replace(word_spellings.typed, 'ä'::text, 'ae'::text), 'ö'::text, 'oe'::text), 'ü'::text, 'ue'::text), replace(replace(replace(word_spellings.typed, 'å'::text, 'aa'::text), 'æ'::text, 'ae'::text), 'ø'::text, 'oe'::text)]))
         UNION
          SELECT w.word,
             w.urlcount
            FROM public.wordurl w
           WHERE ((public.plain_word(w.word) = public.plain_word(word_spellings.typed)) AND (public.plain_word(w.word) <> w.word) AND ((translate(word_spellings.typed, 'ىةیک'::text, 'يهيك'::text) = public.plain_word(word_spellings.typed)) OR (translate(w.word, 'şţ'::text, 'șț'::text) = translate(word_spellings.typed, 'şţ'::text, 'șț'::text))))) s
   WHERE (s.word <> word_spellings.typed)
   ORDER BY s.urlcount DESC, s.word
  LIMIT 32;
END;

CREATE TEXT SEARCH DICTIONARY public.stem_da (
    TEMPLATE = pg_catalog.snowball,
    language = 'danish' );

CREATE TEXT SEARCH DICTIONARY public.stem_de (
    TEMPLATE = pg_catalog.snowball,
    language = 'german' );

CREATE TEXT SEARCH DICTIONARY public.stem_en (
    TEMPLATE = pg_catalog.snowball,
    language = 'english' );

CREATE TEXT SEARCH DICTIONARY public.stem_es (
    TEMPLATE = pg_catalog.snowball,
    language = 'spanish' );

CREATE TEXT SEARCH DICTIONARY public.stem_fi (
    TEMPLATE = pg_catalog.snowball,
    language = 'finnish' );

CREATE TEXT SEARCH DICTIONARY public.stem_fr (
    TEMPLATE = pg_catalog.snowball,
    language = 'french' );

CREATE TEXT SEARCH DICTIONARY public.stem_hu (
    TEMPLATE = pg_catalog.snowball,
    language = 'hungarian' );

CREATE TEXT SEARCH DICTIONARY public.stem_it (
    TEMPLATE = pg_catalog.snowball,
    language = 'italian' );

CREATE TEXT SEARCH DICTIONARY public.stem_nl (
    TEMPLATE = pg_catalog.snowball,
    language = 'dutch' );

CREATE TEXT SEARCH DICTIONARY public.stem_no (
    TEMPLATE = pg_catalog.snowball,
    language = 'norwegian' );

CREATE TEXT SEARCH DICTIONARY public.stem_pt (
    TEMPLATE = pg_catalog.snowball,
    language = 'portuguese' );

CREATE TEXT SEARCH DICTIONARY public.stem_ro (
    TEMPLATE = pg_catalog.snowball,
    language = 'romanian' );

CREATE TEXT SEARCH DICTIONARY public.stem_ru (
    TEMPLATE = pg_catalog.snowball,
    language = 'russian' );

CREATE TEXT SEARCH DICTIONARY public.stem_sv (
    TEMPLATE = pg_catalog.snowball,
    language = 'swedish' );

CREATE TEXT SEARCH DICTIONARY public.stem_tr (
    TEMPLATE = pg_catalog.snowball,
    language = 'turkish' );

CREATE FUNCTION public.word_stem(word text, lang text) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN CASE lang WHEN 'ko'::text THEN CASE WHEN public.hangul_word(word) THEN COALESCE("substring"(word, ((((('^(..+?)(?:은|는|이|가|을|를|과|와|의|에|도|만|로|으로|나|이나|랑|이랑|야|아|여|들|들은|들이|들을|들의|들에|들과|들도|에서'::text || '|에게|께|께서|한테|에는|에도|에만|에서는|에서도|에서만|에게서|에게는|로는|로도|로만|로서|로써|으로는|으로도|으로만'::text) || '|으로서|으로써|로부터|으로부터|부터|까지|까지는|까지도|마다|마저|조차|밖에|보다|보다는|처럼|같이|만큼|만이|만을|만은'::text) || '|대로|이라도|라도|이라는|라는|이란|란|이라고|라고|이라면|라면|하고|와는|과는|와의|과의|와도|과도|에의|로의|으로의'::text) || '|에서의|까지의|부터는|에게도|한테서|이든지|든지|이며|며|이고|고|이다|다|입니다|이었다|였다|이에요|예요|인|인데|이지만'::text) || '|지만|이므로|므로|이면|일|이어야|여야|에대한|에서부터|들에게|들에서|들로|들까지)$'::text)), word) ELSE word END WHEN 'ro'::text THEN translate((ts_lexize('public.stem_ro'::regdictionary, translate(word, 'șț'::text, 'şţ'::text)))[1], 'șț'::text, 'şţ'::text) WHEN 'ru'::text THEN (ts_lexize('public.stem_ru'::regdictionary, replace(word, 'ё'::text, 'е'::text)))[1] WHEN 'da'::text THEN (ts_lexize('public.stem_da'::regdictionary, word))[1] WHEN 'de'::text THEN (ts_lexize('public.stem_de'::regdictionary, word))[1] WHEN 'en'::text THEN (ts_lexize('public.stem_en'::regdictionary, word))[1] WHEN 'es'::text THEN (ts_lexize('public.stem_es'::regdictionary, word))[1] WHEN 'fi'::text THEN (ts_lexize('public.stem_fi'::regdictionary, word))[1] WHEN 'fr'::text THEN (ts_lexize('public.stem_fr'::regdictionary, word))[1] WHEN 'hu'::text THEN (ts_lexize('public.stem_hu'::regdictionary, word))[1] WHEN 'it'::text THEN (ts_lexize('public.stem_it'::regdictionary, word))[1] WHEN 'nl'::text THEN (ts_lexize('public.stem_nl'::regdictionary, word))[1] WHEN 'no'::text THEN (ts_lexize('public.stem_no'::regdictionary, word))[1] WHEN 'pt'::text THEN (ts_lexize('public.stem_pt'::regdictionary, word))[1] WHEN 'sv'::text THEN (ts_lexize('public.stem_sv'::regdictionary, word))[1] WHEN 'tr'::text THEN (ts_lexize('public.stem_tr'::regdictionary, word))[1] ELSE NULL::text END;

CREATE FUNCTION public.word_variants(the_word text, first boolean DEFAULT true, last boolean DEFAULT true, spelled boolean DEFAULT true) RETURNS TABLE(word text, weight double precision)
    LANGUAGE plpgsql STABLE STRICT ROWS 3 PARALLEL SAFE
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
    -- As in search/spellings.go.
    spelling_weight CONSTANT double precision := 0.9;
    pair_weight     CONSTANT double precision := 0.5;
    pairs_most      CONSTANT integer := 1000;
    paired          boolean := octet_length(the_word) > 1 AND left(character_classes(left(the_word, 1)), 1) IN ('h', 'k', 't', 'm');
BEGIN
    RETURN QUERY SELECT the_word, 1::double precision;
    IF spelled AND NOT paired THEN
        RETURN QUERY SELECT s.word, spelling_weight FROM word_spellings(the_word) s ORDER BY s.documents DESC, s.word;
    ELSIF paired AND char_length(the_word) = 1 THEN
        IF last THEN
            RETURN QUERY
            SELECT w.word, pair_weight FROM wordurl w
            WHERE w.word > the_word AND w.word < the_word || U&'\+10FFFF' AND char_length(w.word) = 2
            ORDER BY w.urlcount DESC, w.word
            LIMIT pairs_most;
        END IF;
        IF first THEN
            RETURN QUERY
            SELECT w.word, pair_weight FROM wordurl w
            WHERE "right"(w.word, 1) = the_word AND char_length(w.word) = 2 AND w.word >= 'ก'
            ORDER BY w.urlcount DESC, w.word
            LIMIT pairs_most;
        END IF;
    END IF;
END $$;

CREATE TABLE public.citation (
    url_id integer NOT NULL,
    referrers integer[] NOT NULL
)
WITH (fillfactor='90');

CREATE TABLE public.urlstate (
    url_id integer NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_attempt timestamp with time zone,
    error_class text DEFAULT ''::text NOT NULL,
    error_count smallint DEFAULT 0 NOT NULL,
    index_mode integer DEFAULT 3 NOT NULL,
    priority real DEFAULT 0 NOT NULL,
    seen_run integer DEFAULT 0 NOT NULL,
    links_hash bytea,
    meta jsonb,
    marks text[] DEFAULT '{}'::text[] NOT NULL,
    events integer DEFAULT 0 NOT NULL,
    withdrawn_by text DEFAULT ''::text NOT NULL,
    pace smallint DEFAULT 0 NOT NULL,
    step smallint DEFAULT 0 NOT NULL,
    unchanged smallint DEFAULT 0 NOT NULL,
    next_why text DEFAULT ''::text NOT NULL,
    redirect smallint DEFAULT 0 NOT NULL,
    redirect_to integer DEFAULT 0 NOT NULL,
    redirect_run integer DEFAULT 0 NOT NULL,
    kept_since timestamp with time zone,
    read_as text,
    content_crc character(32),
    unavailable_after timestamp with time zone,
    canonical integer DEFAULT 0 NOT NULL,
    canonical_run integer DEFAULT 0 NOT NULL,
    canonical_cause text DEFAULT ''::text NOT NULL,
    converter text,
    dated timestamp with time zone,
    CONSTRAINT urlstate_converted CHECK (((read_as IS NULL) = (content_crc IS NULL))),
    CONSTRAINT urlstate_error_class_check CHECK ((error_class = ANY (ARRAY[''::text, 'server'::text, 'auth'::text, 'gone'::text, 'unreachable'::text, 'robots'::text, 'unread'::text]))),
    CONSTRAINT urlstate_index_mode_check CHECK ((index_mode >= 0)),
    CONSTRAINT urlstate_pace_check CHECK (((pace >= '-1'::integer) AND (pace <= 1))),
    CONSTRAINT urlstate_read_as_check CHECK ((read_as <> ''::text)),
    CONSTRAINT urlstate_redirect_check CHECK ((redirect = ANY (ARRAY[0, 301, 302]))),
    CONSTRAINT urlstate_withdrawn_by_check CHECK ((withdrawn_by = ANY (ARRAY[''::text, 'T-12'::text, 'T-13'::text, 'SR-09'::text])))
)
WITH (fillfactor='85');

CREATE VIEW public.broken_links AS
 WITH broken AS MATERIALIZED (
         SELECT w.url_id,
            w.url,
                CASE
                    WHEN (w.status >= 65536) THEN public.status_lost(w.status)
                    ELSE w.status
                END AS status,
            unnest(c.referrers) AS referrer_id
           FROM (public.urlword w
             JOIN public.citation c ON ((c.url_id = w.url_id)))
          WHERE (((w.status >= 65536) OR ((w.status >= 400) AND (w.status <> ALL (ARRAY[406, 903, 906])) AND ((w.status < 800) OR (w.status > 806))) OR ((w.status = 406) AND (EXISTS ( SELECT
                   FROM public.urlstate s
                  WHERE ((s.url_id = w.url_id) AND (s.error_class = 'server'::text)))))) AND ((w.deleted = 0) OR (EXISTS ( SELECT
                   FROM public.urlstate s
                  WHERE ((s.url_id = w.url_id) AND (s.withdrawn_by = 'T-13'::text))))))
        )
 SELECT b.url_id,
    b.url,
    b.status,
    b.referrer_id,
    r.url AS referrer
   FROM (broken b
     JOIN public.urlword r ON ((r.url_id = b.referrer_id)));

CREATE VIEW public.canonical_pages AS
 SELECT w.url_id,
    w.url,
    w.status,
    t.url AS canonical,
    t.status AS canonical_status
   FROM ((public.urlstate s
     JOIN public.urlword w USING (url_id))
     JOIN public.urlword t ON ((t.url_id = s.canonical)))
  WHERE ((s.canonical > 0) AND (w.deleted = 0) AND (public.status_base(w.status) = ANY (ARRAY[200, 906])));

CREATE VIEW public.clones AS
 SELECT o.url_id AS original_id,
    o.url AS original,
    c.url_id AS clone_id,
    c.url AS clone
   FROM (public.urlword c
     JOIN public.urlword o ON ((o.url_id = c.origin)))
  WHERE (c.deleted = 0);

CREATE TABLE public.crawl_control (
    single boolean DEFAULT true NOT NULL,
    stop_asked timestamp with time zone,
    connectivity text DEFAULT 'good'::text NOT NULL,
    stop_reason text,
    swept_hash bytea,
    accepted_hash bytea,
    converters text,
    reading_hash bytea,
    CONSTRAINT crawl_control_connectivity_check CHECK ((connectivity = ANY (ARRAY['good'::text, 'bad'::text]))),
    CONSTRAINT crawl_control_single_check CHECK (single),
    CONSTRAINT crawl_control_stop_reason_check CHECK ((stop_reason = ANY (ARRAY['stopped'::text, 'continue'::text])))
);

CREATE VIEW public.crawl_diagnostics AS
 SELECT w.url_id,
    w.url,
    public.status_base(w.status) AS status,
    public.status_lost(w.status) AS lost_status,
    public.status_lost_count(w.status) AS lost_count,
    w.deleted,
    w.origin,
    w.redir,
    s.attempts,
    s.last_attempt,
    s.error_class,
    s.error_count,
    s.marks,
    to_timestamp((w.next_index_time)::double precision) AS next_index
   FROM (public.urlword w
     LEFT JOIN public.urlstate s ON ((s.url_id = w.url_id)));

CREATE TABLE public.crawl_history (
    url_id integer NOT NULL,
    slot smallint NOT NULL,
    run_id integer NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    rule text NOT NULL,
    result smallint NOT NULL,
    old_status integer NOT NULL,
    new_status integer NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    elapsed_ms integer DEFAULT 0 NOT NULL,
    cause text DEFAULT ''::text NOT NULL
)
WITH (fillfactor='90');

CREATE TABLE public.crawled_by (
    kind text NOT NULL,
    name text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT crawled_by_kind_check CHECK ((kind = ANY (ARRAY['project'::text, 'host'::text])))
);

CREATE TABLE public.docdates (
    url_id integer NOT NULL,
    created timestamp with time zone NOT NULL,
    modified timestamp with time zone NOT NULL,
    modified_from text NOT NULL,
    created_from text DEFAULT 'fetch'::text NOT NULL,
    length smallint,
    lang text,
    type text,
    tag integer,
    unruled timestamp with time zone,
    unruled_from text,
    CONSTRAINT docdates_created_from_check CHECK ((created_from = 'fetch'::text)),
    CONSTRAINT docdates_modified_from_check CHECK ((modified_from = ANY (ARRAY['last-modified'::text, 'fetch'::text, 'rule'::text]))),
    CONSTRAINT docdates_unruled CHECK ((((modified_from = 'rule'::text) = (unruled IS NOT NULL)) AND ((unruled IS NULL) = (unruled_from IS NULL)) AND (unruled_from = ANY (ARRAY['last-modified'::text, 'fetch'::text]))))
);

CREATE TABLE public.sites (
    site_id integer NOT NULL,
    site text NOT NULL,
    CONSTRAINT sites_site_id_check CHECK (((site_id > 0) AND (site_id < 16777216)))
);

CREATE VIEW public.documents_by_site AS
 SELECT s.site_id,
    s.site,
    d.status,
    d.lost,
    d.deleted,
    d.documents
   FROM (( SELECT urlword.site_id,
            public.status_base(urlword.status) AS status,
            (urlword.status >= 65536) AS lost,
            (urlword.deleted = 1) AS deleted,
            count(*) AS documents
           FROM public.urlword
          GROUP BY urlword.site_id, (public.status_base(urlword.status)), (urlword.status >= 65536), (urlword.deleted = 1)) d
     JOIN public.sites s ON ((s.site_id = d.site_id)));

CREATE TABLE public.docwords (
    url_id integer NOT NULL,
    seq bigint NOT NULL,
    words bytea NOT NULL
)
WITH (fillfactor='90', autovacuum_vacuum_scale_factor='0.02');
ALTER TABLE ONLY public.docwords ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE VIEW public.fetch_queue AS
 SELECT w.url_id,
    w.url,
    w.site_id,
        CASE
            WHEN (w.deleted = 1) THEN 'withdrawn'::text
            WHEN (w.next_index_time = '-1'::integer) THEN 'recrawl'::text
            WHEN (w.next_index_time = 0) THEN 'start'::text
            WHEN (w.status = 0) THEN 'new'::text
            ELSE 'known'::text
        END AS class,
    to_timestamp((w.next_index_time)::double precision) AS due,
    w.hops
   FROM public.urlword w
  WHERE (w.next_index_time <= (floor(EXTRACT(epoch FROM now())))::bigint);

CREATE TABLE public.fetcher (
    name text NOT NULL,
    run_id integer NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat timestamp with time zone DEFAULT now() NOT NULL,
    process_id integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.file_mount (
    path bytea NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.host_limit (
    host text NOT NULL,
    delay_ms integer DEFAULT 0 NOT NULL,
    refusals integer DEFAULT 0 NOT NULL,
    pause_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    status smallint NOT NULL,
    url text DEFAULT ''::text NOT NULL,
    refused_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT host_limit_delay_ms_check CHECK ((delay_ms >= 0)),
    CONSTRAINT host_limit_refusals_check CHECK ((refusals >= 0))
);

CREATE VIEW public.index_size AS
 WITH w AS MATERIALIZED (
         SELECT count(*) FILTER (WHERE (wordurl.urls <> '\x'::bytea)) AS inline_words,
            COALESCE(sum(wordurl.urlcount) FILTER (WHERE (wordurl.urls <> '\x'::bytea)), (0)::bigint) AS inline_postings,
            COALESCE(sum(wordurl.urlcount) FILTER (WHERE (wordurl.urls = '\x'::bytea)), (0)::bigint) AS large_postings,
            COALESCE(sum(octet_length(wordurl.urls)), (0)::bigint) AS inline_bytes
           FROM public.wordurl
        ), f AS MATERIALIZED (
         SELECT wordfile.level,
            count(*) AS rows,
            sum(wordfile.urlcount) AS postings,
            sum(octet_length(wordfile.urls)) AS bytes
           FROM public.wordfile
          GROUP BY wordfile.level
        ), r AS MATERIALIZED (
         SELECT count(*) AS rows,
            COALESCE(sum(wordurl1.urlcount), (0)::bigint) AS postings,
            COALESCE(sum(octet_length(wordurl1.urls)), (0)::bigint) AS bytes
           FROM public.wordurl1
        ), h AS MATERIALIZED (
         SELECT count(i.word_id) AS postings
           FROM ((public.rt_urls u
             JOIN public.docwords d ON ((d.url_id = u.url_id)))
             CROSS JOIN LATERAL public.docwords_info(d.words) i(word_id, cnt))
        ), line(n, part, rows, postings, out_of_date, bytes) AS (
         SELECT 1 AS "?column?",
            'wordurl'::text AS "?column?",
            w.inline_words,
            w.inline_postings,
            (0)::bigint AS int8,
            w.inline_bytes
           FROM w
        UNION ALL
         SELECT (2 + l_1.level),
            ('wordfile level '::text || l_1.level),
            COALESCE(f.rows, (0)::bigint) AS "coalesce",
            COALESCE(f.postings, (0)::bigint) AS "coalesce",
            NULL::bigint,
            COALESCE(f.bytes, (0)::bigint) AS "coalesce"
           FROM (generate_series(0, 2) l_1(level)
             LEFT JOIN f ON ((f.level = l_1.level)))
        UNION ALL
         SELECT 5,
            'wordfile'::text,
            (COALESCE(sum(f.rows), (0)::numeric))::bigint AS "coalesce",
            (COALESCE(sum(f.postings), (0)::numeric))::bigint AS "coalesce",
            ((COALESCE(sum(f.postings), (0)::numeric))::bigint - ( SELECT w.large_postings
                   FROM w)),
            (COALESCE(sum(f.bytes), (0)::numeric))::bigint AS "coalesce"
           FROM f
        UNION ALL
         SELECT 6,
            'wordurl1'::text,
            r.rows,
            r.postings,
            0,
            r.bytes
           FROM r
        UNION ALL
         SELECT 7,
            'hidden by wordurl1'::text,
            ( SELECT count(*) AS count
                   FROM public.rt_urls) AS count,
            h.postings,
            h.postings,
            NULL::bigint
           FROM h
        UNION ALL
         SELECT 8,
            'docwords'::text,
            count(*) AS count,
            NULL::bigint,
            NULL::bigint,
            COALESCE(sum(octet_length(d.words)), (0)::bigint) AS "coalesce"
           FROM public.docwords d
        UNION ALL
         SELECT 9,
            'indexes'::text,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            ( SELECT (sum(pg_indexes_size(t.t)))::bigint AS sum
                   FROM unnest(ARRAY['public.wordurl'::regclass, 'public.wordfile'::regclass, 'public.wordurl1'::regclass, 'public.docwords'::regclass]) t(t)) AS sum
        UNION ALL
         SELECT 10,
            'on disk'::text,
            NULL::bigint,
            NULL::bigint,
            NULL::bigint,
            ( SELECT (sum(pg_total_relation_size(t.t)))::bigint AS sum
                   FROM unnest(ARRAY['public.wordurl'::regclass, 'public.wordfile'::regclass, 'public.wordurl1'::regclass, 'public.docwords'::regclass]) t(t)) AS sum
        )
 SELECT l.part,
    l.rows,
    l.postings,
    l.out_of_date,
    round(((100.0 * (l.out_of_date)::numeric) / (NULLIF(l.postings, 0))::numeric), 1) AS out_of_date_percent,
    l.bytes
   FROM line l
  ORDER BY l.n;

CREATE VIEW public.indexed_documents AS
 SELECT urlword.url_id,
    urlword.site_id,
    urlword.url,
    public.status_base(urlword.status) AS status,
    urlword.origin
   FROM public.urlword
  WHERE ((urlword.deleted = 0) AND (public.status_base(urlword.status) = ANY (ARRAY[200, 302])));

CREATE SEQUENCE public.journal_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.journal (
    seq bigint DEFAULT nextval('public.journal_seq'::regclass) NOT NULL,
    schedule_seq bigint,
    place integer DEFAULT 0 NOT NULL,
    run_id integer NOT NULL,
    url_id integer NOT NULL,
    site_id integer NOT NULL,
    status smallint NOT NULL,
    words bytea,
    links_added integer[] DEFAULT '{}'::integer[] NOT NULL,
    links_removed integer[] DEFAULT '{}'::integer[] NOT NULL,
    redir integer DEFAULT 0 NOT NULL,
    modified timestamp with time zone,
    fetched_at timestamp with time zone DEFAULT now() NOT NULL,
    same_content boolean DEFAULT false NOT NULL,
    CONSTRAINT journal_status_check CHECK ((status = ANY (ARRAY[200, 301, 302, 406, 906])))
);
ALTER TABLE ONLY public.journal ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.reindexing (
    run_id integer NOT NULL,
    kind text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    end_reason text,
    program text DEFAULT ''::text NOT NULL,
    options text DEFAULT ''::text NOT NULL,
    limited boolean DEFAULT false NOT NULL,
    config_hash bytea,
    documents bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    changed bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    lost bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    deferred bigint DEFAULT 0 NOT NULL,
    words bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    work text DEFAULT ''::text NOT NULL,
    respider boolean DEFAULT false NOT NULL,
    begun_at timestamp with time zone,
    starts integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT reindexing_check CHECK (((ended_at IS NULL) = (end_reason IS NULL))),
    CONSTRAINT reindexing_end_reason_check CHECK ((end_reason = ANY (ARRAY['complete'::text, 'time'::text, 'limit'::text, 'count'::text, 'stopped'::text, 'paused'::text, 'continue'::text, 'failed'::text]))),
    CONSTRAINT reindexing_kind_check CHECK ((kind = ANY (ARRAY['crawl'::text, 'merge'::text, 'realtime'::text, 'purge'::text])))
);

CREATE VIEW public.last_run_changes AS
 SELECT h.url_id,
    w.url,
    h.rule,
    h.result,
    h.old_status,
    h.new_status,
    h.at,
    h.cause
   FROM (public.crawl_history h
     JOIN public.urlword w ON ((w.url_id = h.url_id)))
  WHERE ((h.run_id = ( SELECT max(reindexing.run_id) AS max
           FROM public.reindexing
          WHERE (reindexing.kind = 'crawl'::text))) AND ((h.old_status <> h.new_status) OR (h.rule = ANY (ARRAY['T-01'::text, 'T-01c'::text, 'T-01o'::text, 'T-04'::text, 'T-05'::text, 'T-06'::text, 'T-12'::text, 'T-13'::text, 'T-14'::text, 'T-15'::text, 'T-16'::text, 'T-17'::text]))));

CREATE VIEW public.lost_documents AS
 SELECT urlword.url_id,
    urlword.site_id,
    urlword.url,
    public.status_lost(urlword.status) AS lost_status,
    public.status_lost_count(urlword.status) AS lost_count,
    to_timestamp((urlword.last_index_time)::double precision) AS last_index,
    to_timestamp((urlword.next_index_time)::double precision) AS next_index
   FROM public.urlword
  WHERE ((urlword.deleted = 0) AND (urlword.status >= 65536));

CREATE TABLE public.markdel (
    url_id integer NOT NULL,
    seq bigint DEFAULT nextval('public.journal_seq'::regclass) NOT NULL,
    schedule_seq bigint,
    site_id integer NOT NULL,
    run_id integer NOT NULL,
    marked_at timestamp with time zone DEFAULT now() NOT NULL,
    reason text NOT NULL,
    links integer[] DEFAULT '{}'::integer[] NOT NULL
);

CREATE TABLE public.named_by (
    kind text NOT NULL,
    source integer NOT NULL,
    url_id integer NOT NULL,
    CONSTRAINT named_by_kind_check CHECK ((kind = ANY (ARRAY['sitemap'::text, 'listing'::text, 'archive'::text])))
);

CREATE TABLE public.schedule (
    seq bigint NOT NULL,
    run_id integer NOT NULL,
    fetcher text NOT NULL,
    attempt integer DEFAULT 1 NOT NULL,
    schedule_time timestamp with time zone DEFAULT now() NOT NULL,
    deadline timestamp with time zone NOT NULL,
    status "char" DEFAULT 's'::"char" NOT NULL,
    reschedule_count integer DEFAULT 0 NOT NULL,
    site_ids integer[] NOT NULL,
    url_ids integer[] NOT NULL,
    process_id integer DEFAULT 0 NOT NULL,
    CONSTRAINT schedule_check CHECK ((deadline > schedule_time)),
    CONSTRAINT schedule_status_check CHECK ((status = ANY (ARRAY['s'::"char", 'a'::"char"])))
)
WITH (fillfactor='85');

CREATE VIEW public.open_schedules AS
 SELECT schedule.seq,
    schedule.run_id,
    schedule.fetcher,
    schedule.attempt,
    schedule.schedule_time,
    schedule.deadline,
    (schedule.deadline < now()) AS late,
    schedule.reschedule_count,
    schedule.site_ids,
    cardinality(schedule.url_ids) AS urls
   FROM public.schedule
  WHERE (schedule.status = 's'::"char");

CREATE VIEW public.unreached AS
 SELECT w.url_id,
    w.site_id,
    w.url,
    public.status_base(w.status) AS status,
    (w.status >= 65536) AS lost,
    to_timestamp((w.last_index_time)::double precision) AS last_index,
    run.started_at AS since
   FROM ((( SELECT reindexing.started_at
           FROM public.reindexing
          WHERE ((reindexing.kind = 'crawl'::text) AND reindexing.respider AND (NOT reindexing.limited) AND (reindexing.end_reason = 'complete'::text) AND (reindexing.begun_at IS NOT NULL) AND (reindexing.starts <> '{}'::integer[]))
          ORDER BY reindexing.run_id DESC
         LIMIT 1) run
     CROSS JOIN public.urlword w)
     LEFT JOIN public.urlstate s ON ((s.url_id = w.url_id)))
  WHERE ((w.deleted = 0) AND (public.status_base(w.status) = ANY (ARRAY[200, 406, 301, 302, 906])) AND ((w.last_index_time)::numeric < floor(EXTRACT(epoch FROM run.started_at))) AND ((s.last_attempt IS NULL) OR (s.last_attempt < run.started_at)));

CREATE TABLE public.urlwords00 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords00_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords00_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords00_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords00_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords00_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords00_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords00_url_id_check CHECK (((url_id % 16) = 0))
);
ALTER TABLE ONLY public.urlwords00 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords01 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords01_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords01_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords01_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords01_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords01_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords01_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords01_url_id_check CHECK (((url_id % 16) = 1))
);
ALTER TABLE ONLY public.urlwords01 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords02 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords02_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords02_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords02_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords02_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords02_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords02_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords02_url_id_check CHECK (((url_id % 16) = 2))
);
ALTER TABLE ONLY public.urlwords02 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords03 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords03_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords03_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords03_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords03_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords03_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords03_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords03_url_id_check CHECK (((url_id % 16) = 3))
);
ALTER TABLE ONLY public.urlwords03 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords04 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords04_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords04_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords04_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords04_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords04_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords04_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords04_url_id_check CHECK (((url_id % 16) = 4))
);
ALTER TABLE ONLY public.urlwords04 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords05 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords05_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords05_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords05_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords05_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords05_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords05_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords05_url_id_check CHECK (((url_id % 16) = 5))
);
ALTER TABLE ONLY public.urlwords05 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords06 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords06_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords06_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords06_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords06_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords06_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords06_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords06_url_id_check CHECK (((url_id % 16) = 6))
);
ALTER TABLE ONLY public.urlwords06 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords07 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords07_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords07_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords07_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords07_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords07_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords07_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords07_url_id_check CHECK (((url_id % 16) = 7))
);
ALTER TABLE ONLY public.urlwords07 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords08 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords08_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords08_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords08_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords08_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords08_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords08_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords08_url_id_check CHECK (((url_id % 16) = 8))
);
ALTER TABLE ONLY public.urlwords08 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords09 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords09_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords09_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords09_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords09_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords09_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords09_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords09_url_id_check CHECK (((url_id % 16) = 9))
);
ALTER TABLE ONLY public.urlwords09 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords10 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords10_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords10_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords10_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords10_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords10_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords10_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords10_url_id_check CHECK (((url_id % 16) = 10))
);
ALTER TABLE ONLY public.urlwords10 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords11 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords11_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords11_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords11_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords11_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords11_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords11_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords11_url_id_check CHECK (((url_id % 16) = 11))
);
ALTER TABLE ONLY public.urlwords11 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords12 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords12_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords12_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords12_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords12_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords12_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords12_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords12_url_id_check CHECK (((url_id % 16) = 12))
);
ALTER TABLE ONLY public.urlwords12 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords13 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords13_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords13_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords13_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords13_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords13_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords13_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords13_url_id_check CHECK (((url_id % 16) = 13))
);
ALTER TABLE ONLY public.urlwords13 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords14 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords14_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords14_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords14_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords14_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords14_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords14_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords14_url_id_check CHECK (((url_id % 16) = 14))
);
ALTER TABLE ONLY public.urlwords14 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE TABLE public.urlwords15 (
    url_id integer NOT NULL,
    deleted smallint DEFAULT 0 NOT NULL,
    wordcount integer DEFAULT 0 NOT NULL,
    totalcount integer DEFAULT 0 NOT NULL,
    content_type text DEFAULT ''::text NOT NULL,
    charset text DEFAULT ''::text NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    txt text DEFAULT ''::text NOT NULL,
    docsize integer DEFAULT 0 NOT NULL,
    keywords text DEFAULT ''::text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    lang text DEFAULT ''::text NOT NULL,
    words bytea,
    hrefs integer[] DEFAULT '{}'::integer[] NOT NULL,
    CONSTRAINT urlwords15_deleted_check CHECK ((deleted = ANY (ARRAY[0, 1]))),
    CONSTRAINT urlwords15_description_check CHECK ((char_length(description) <= 100)),
    CONSTRAINT urlwords15_keywords_check CHECK ((char_length(keywords) <= 255)),
    CONSTRAINT urlwords15_lang_check CHECK ((char_length(lang) <= 2)),
    CONSTRAINT urlwords15_title_check CHECK ((char_length(title) <= 128)),
    CONSTRAINT urlwords15_txt_check CHECK ((char_length(txt) <= 255)),
    CONSTRAINT urlwords15_url_id_check CHECK (((url_id % 16) = 15))
);
ALTER TABLE ONLY public.urlwords15 ALTER COLUMN words SET STORAGE EXTERNAL;

CREATE VIEW public.urlwords AS
 SELECT urlwords00.url_id,
    urlwords00.deleted,
    urlwords00.wordcount,
    urlwords00.totalcount,
    urlwords00.content_type,
    urlwords00.charset,
    urlwords00.title,
    urlwords00.txt,
    urlwords00.docsize,
    urlwords00.keywords,
    urlwords00.description,
    urlwords00.lang,
    urlwords00.words,
    urlwords00.hrefs
   FROM public.urlwords00
UNION ALL
 SELECT urlwords01.url_id,
    urlwords01.deleted,
    urlwords01.wordcount,
    urlwords01.totalcount,
    urlwords01.content_type,
    urlwords01.charset,
    urlwords01.title,
    urlwords01.txt,
    urlwords01.docsize,
    urlwords01.keywords,
    urlwords01.description,
    urlwords01.lang,
    urlwords01.words,
    urlwords01.hrefs
   FROM public.urlwords01
UNION ALL
 SELECT urlwords02.url_id,
    urlwords02.deleted,
    urlwords02.wordcount,
    urlwords02.totalcount,
    urlwords02.content_type,
    urlwords02.charset,
    urlwords02.title,
    urlwords02.txt,
    urlwords02.docsize,
    urlwords02.keywords,
    urlwords02.description,
    urlwords02.lang,
    urlwords02.words,
    urlwords02.hrefs
   FROM public.urlwords02
UNION ALL
 SELECT urlwords03.url_id,
    urlwords03.deleted,
    urlwords03.wordcount,
    urlwords03.totalcount,
    urlwords03.content_type,
    urlwords03.charset,
    urlwords03.title,
    urlwords03.txt,
    urlwords03.docsize,
    urlwords03.keywords,
    urlwords03.description,
    urlwords03.lang,
    urlwords03.words,
    urlwords03.hrefs
   FROM public.urlwords03
UNION ALL
 SELECT urlwords04.url_id,
    urlwords04.deleted,
    urlwords04.wordcount,
    urlwords04.totalcount,
    urlwords04.content_type,
    urlwords04.charset,
    urlwords04.title,
    urlwords04.txt,
    urlwords04.docsize,
    urlwords04.keywords,
    urlwords04.description,
    urlwords04.lang,
    urlwords04.words,
    urlwords04.hrefs
   FROM public.urlwords04
UNION ALL
 SELECT urlwords05.url_id,
    urlwords05.deleted,
    urlwords05.wordcount,
    urlwords05.totalcount,
    urlwords05.content_type,
    urlwords05.charset,
    urlwords05.title,
    urlwords05.txt,
    urlwords05.docsize,
    urlwords05.keywords,
    urlwords05.description,
    urlwords05.lang,
    urlwords05.words,
    urlwords05.hrefs
   FROM public.urlwords05
UNION ALL
 SELECT urlwords06.url_id,
    urlwords06.deleted,
    urlwords06.wordcount,
    urlwords06.totalcount,
    urlwords06.content_type,
    urlwords06.charset,
    urlwords06.title,
    urlwords06.txt,
    urlwords06.docsize,
    urlwords06.keywords,
    urlwords06.description,
    urlwords06.lang,
    urlwords06.words,
    urlwords06.hrefs
   FROM public.urlwords06
UNION ALL
 SELECT urlwords07.url_id,
    urlwords07.deleted,
    urlwords07.wordcount,
    urlwords07.totalcount,
    urlwords07.content_type,
    urlwords07.charset,
    urlwords07.title,
    urlwords07.txt,
    urlwords07.docsize,
    urlwords07.keywords,
    urlwords07.description,
    urlwords07.lang,
    urlwords07.words,
    urlwords07.hrefs
   FROM public.urlwords07
UNION ALL
 SELECT urlwords08.url_id,
    urlwords08.deleted,
    urlwords08.wordcount,
    urlwords08.totalcount,
    urlwords08.content_type,
    urlwords08.charset,
    urlwords08.title,
    urlwords08.txt,
    urlwords08.docsize,
    urlwords08.keywords,
    urlwords08.description,
    urlwords08.lang,
    urlwords08.words,
    urlwords08.hrefs
   FROM public.urlwords08
UNION ALL
 SELECT urlwords09.url_id,
    urlwords09.deleted,
    urlwords09.wordcount,
    urlwords09.totalcount,
    urlwords09.content_type,
    urlwords09.charset,
    urlwords09.title,
    urlwords09.txt,
    urlwords09.docsize,
    urlwords09.keywords,
    urlwords09.description,
    urlwords09.lang,
    urlwords09.words,
    urlwords09.hrefs
   FROM public.urlwords09
UNION ALL
 SELECT urlwords10.url_id,
    urlwords10.deleted,
    urlwords10.wordcount,
    urlwords10.totalcount,
    urlwords10.content_type,
    urlwords10.charset,
    urlwords10.title,
    urlwords10.txt,
    urlwords10.docsize,
    urlwords10.keywords,
    urlwords10.description,
    urlwords10.lang,
    urlwords10.words,
    urlwords10.hrefs
   FROM public.urlwords10
UNION ALL
 SELECT urlwords11.url_id,
    urlwords11.deleted,
    urlwords11.wordcount,
    urlwords11.totalcount,
    urlwords11.content_type,
    urlwords11.charset,
    urlwords11.title,
    urlwords11.txt,
    urlwords11.docsize,
    urlwords11.keywords,
    urlwords11.description,
    urlwords11.lang,
    urlwords11.words,
    urlwords11.hrefs
   FROM public.urlwords11
UNION ALL
 SELECT urlwords12.url_id,
    urlwords12.deleted,
    urlwords12.wordcount,
    urlwords12.totalcount,
    urlwords12.content_type,
    urlwords12.charset,
    urlwords12.title,
    urlwords12.txt,
    urlwords12.docsize,
    urlwords12.keywords,
    urlwords12.description,
    urlwords12.lang,
    urlwords12.words,
    urlwords12.hrefs
   FROM public.urlwords12
UNION ALL
 SELECT urlwords13.url_id,
    urlwords13.deleted,
    urlwords13.wordcount,
    urlwords13.totalcount,
    urlwords13.content_type,
    urlwords13.charset,
    urlwords13.title,
    urlwords13.txt,
    urlwords13.docsize,
    urlwords13.keywords,
    urlwords13.description,
    urlwords13.lang,
    urlwords13.words,
    urlwords13.hrefs
   FROM public.urlwords13
UNION ALL
 SELECT urlwords14.url_id,
    urlwords14.deleted,
    urlwords14.wordcount,
    urlwords14.totalcount,
    urlwords14.content_type,
    urlwords14.charset,
    urlwords14.title,
    urlwords14.txt,
    urlwords14.docsize,
    urlwords14.keywords,
    urlwords14.description,
    urlwords14.lang,
    urlwords14.words,
    urlwords14.hrefs
   FROM public.urlwords14
UNION ALL
 SELECT urlwords15.url_id,
    urlwords15.deleted,
    urlwords15.wordcount,
    urlwords15.totalcount,
    urlwords15.content_type,
    urlwords15.charset,
    urlwords15.title,
    urlwords15.txt,
    urlwords15.docsize,
    urlwords15.keywords,
    urlwords15.description,
    urlwords15.lang,
    urlwords15.words,
    urlwords15.hrefs
   FROM public.urlwords15;

CREATE VIEW public.relinked AS
 WITH RECURSIVE missed AS MATERIALIZED (
         SELECT unreached.url_id
           FROM public.unreached
        ), told AS (
         SELECT c.url_id AS target,
            r.r AS source
           FROM ((missed
             JOIN public.citation c USING (url_id))
             CROSS JOIN LATERAL unnest(c.referrers) r(r))
        UNION
         SELECT l.l,
            j.url_id
           FROM ((public.journal j
             CROSS JOIN LATERAL unnest(j.links_added) l(l))
             JOIN missed ON ((missed.url_id = l.l)))
        ), link AS MATERIALIZED (
         SELECT t.target,
            t.source,
            t.source AS page
           FROM told t
        UNION ALL
         SELECT t.target,
            t.source,
            w.url_id
           FROM (told t
             JOIN public.urlword w ON (((w.origin = t.source) AND (w.origin <> 0) AND (w.deleted = 0))))
        ), again(url_id) AS (
        (
                 SELECT k.target
                   FROM link k
                  WHERE ((NOT (EXISTS ( SELECT
                           FROM missed
                          WHERE (missed.url_id = k.page)))) AND (EXISTS ( SELECT
                           FROM public.urlwords c
                          WHERE ((c.url_id = k.source) AND (c.deleted = 0) AND (k.target = ANY (c.hrefs))))))
                UNION ALL
                 SELECT m.url_id
                   FROM missed m
                  WHERE (EXISTS ( SELECT
                           FROM public.named_by n
                          WHERE (n.url_id = m.url_id)))
        ) UNION
         SELECT k.target
           FROM (again a
             JOIN link k ON ((k.page = a.url_id)))
          WHERE (EXISTS ( SELECT
                   FROM public.urlwords c
                  WHERE ((c.url_id = k.source) AND (c.deleted = 0) AND (k.target = ANY (c.hrefs)))))
        )
 SELECT again.url_id
   FROM again;

CREATE VIEW public.orphans AS
 SELECT u.url_id,
    u.site_id,
    u.url,
    u.status,
    u.lost,
    u.last_index,
    u.since
   FROM public.unreached u
  WHERE (NOT (u.url_id IN ( SELECT relinked.url_id
           FROM public.relinked)));

CREATE TABLE public.paused_pattern (
    pattern text NOT NULL,
    site_id integer NOT NULL,
    run_id integer NOT NULL,
    paused_at timestamp with time zone DEFAULT now() NOT NULL,
    regexp text NOT NULL,
    example text NOT NULL,
    fetched integer NOT NULL,
    except_patterns text[] DEFAULT '{}'::text[] NOT NULL
);

CREATE TABLE public.process (
    process_id integer NOT NULL,
    run_id integer NOT NULL,
    name text NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    left_at timestamp with time zone,
    documents bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    changed bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    lost bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    deferred bigint DEFAULT 0 NOT NULL,
    words bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL
);

ALTER TABLE public.process ALTER COLUMN process_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.process_process_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.protected_files AS
 SELECT w.url_id,
    w.url
   FROM (public.urlstate s
     JOIN public.urlword w USING (url_id))
  WHERE (((s.index_mode & 512) <> 0) AND (w.deleted = 0) AND (public.status_base(w.status) = 200));

CREATE TABLE public.rankstate (
    single boolean DEFAULT true NOT NULL,
    links bigint DEFAULT 0 NOT NULL,
    changed bigint DEFAULT 0 NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    computed_at timestamp with time zone,
    CONSTRAINT rankstate_documents_check CHECK ((documents >= 0)),
    CONSTRAINT rankstate_links_check CHECK ((links >= 0)),
    CONSTRAINT rankstate_single_check CHECK (single)
);

CREATE VIEW public.sender_window AS
 SELECT s.seq,
    s.attempt,
    s.fetcher,
    s.schedule_time,
    s.deadline,
    s.status,
    s.reschedule_count
   FROM public.schedule s
  WHERE (s.seq >= ( SELECT min(schedule.seq) AS min
           FROM public.schedule
          WHERE (schedule.status = 's'::"char")))
  ORDER BY s.seq
 LIMIT ( SELECT GREATEST(( SELECT count(*) AS count
                   FROM public.fetcher
                  WHERE (fetcher.heartbeat > (now() - '00:00:30'::interval))), ( SELECT count(*) AS count
                   FROM public.schedule
                  WHERE (schedule.status = 's'::"char"))) AS "greatest");

CREATE VIEW public.receiver_window AS
 SELECT j.schedule_seq,
    j.place,
    j.url_id,
    j.status,
    j.fetched_at
   FROM public.journal j
  WHERE (j.schedule_seq IN ( SELECT sender_window.seq
           FROM public.sender_window));

CREATE VIEW public.redirect_chains AS
 SELECT w.url_id,
    w.url,
    (count(*) - 1) AS redirects,
    (array_agg(c.url ORDER BY c.step DESC))[1] AS last_url,
    (array_agg(public.status_base(c.status) ORDER BY c.step DESC))[1] AS last_status,
    (bool_or((c.step > 8)) OR (((array_agg(public.status_base(c.status) ORDER BY c.step DESC))[1] = ANY (ARRAY[301, 302, 906])) AND ((array_agg(last.redir ORDER BY c.step DESC))[1] <> 0))) AS looped
   FROM ((public.urlword w
     CROSS JOIN LATERAL public.redirect_chain(w.url_id) c(step, url_id, url, status))
     JOIN public.urlword last ON ((last.url_id = c.url_id)))
  WHERE ((w.redir <> 0) AND (w.deleted = 0))
  GROUP BY w.url_id, w.url;

ALTER TABLE public.reindexing ALTER COLUMN run_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.reindexing_run_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.robots (
    hostinfo text NOT NULL,
    path text NOT NULL
);

CREATE TABLE public.robots_allow (
    hostinfo text NOT NULL,
    path text NOT NULL
);

CREATE TABLE public.robots_cache (
    hostinfo text NOT NULL,
    fetched_at timestamp with time zone NOT NULL,
    status smallint NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    good_at timestamp with time zone,
    body bytea,
    swept bytea,
    refusals integer DEFAULT 0 NOT NULL,
    ban_hash bytea,
    ban_days integer DEFAULT 0 NOT NULL,
    ban_seen timestamp with time zone,
    ban_released boolean DEFAULT false NOT NULL,
    cause text DEFAULT ''::text NOT NULL
);

ALTER TABLE public.schedule ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.schedule_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.site_hold (
    hold_id integer NOT NULL,
    site_id integer NOT NULL,
    run_id integer NOT NULL,
    held_at timestamp with time zone DEFAULT now() NOT NULL,
    reason text NOT NULL,
    url_id integer NOT NULL,
    cause text DEFAULT ''::text NOT NULL,
    live integer NOT NULL,
    turned_lost integer NOT NULL,
    ended_at timestamp with time zone,
    ended_by text,
    days integer DEFAULT 0 NOT NULL,
    seen timestamp with time zone,
    CONSTRAINT site_hold_check CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
    CONSTRAINT site_hold_ended_by_check CHECK ((ended_by = ANY (ARRAY['released'::text, 'expired'::text, 'recovered'::text]))),
    CONSTRAINT site_hold_reason_check CHECK ((reason = ANY (ARRAY['share'::text, 'start URLs'::text, 'robots.txt'::text, 'redirects'::text, 'noindex'::text, 'canonical'::text])))
);

ALTER TABLE public.site_hold ALTER COLUMN hold_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.site_hold_hold_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.sitestate (
    site_id integer NOT NULL,
    host text NOT NULL,
    lease_seq bigint DEFAULT 0 NOT NULL,
    next_due bigint DEFAULT 0 NOT NULL,
    leased_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    labelled boolean DEFAULT false NOT NULL,
    next_class smallint DEFAULT 1 NOT NULL,
    ready_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    gate "char" DEFAULT 'a'::"char" NOT NULL,
    live integer DEFAULT 0 NOT NULL,
    turned_lost integer DEFAULT 0 NOT NULL,
    starts integer DEFAULT 0 NOT NULL,
    starts_failed integer DEFAULT 0 NOT NULL,
    redirects_until timestamp with time zone,
    noindex_days smallint DEFAULT 0 NOT NULL,
    noindex_seen timestamp with time zone,
    canonical_until timestamp with time zone,
    run_limit integer,
    counted_run integer DEFAULT 0 NOT NULL,
    counted integer DEFAULT 0 NOT NULL,
    CONSTRAINT sitestate_gate_check CHECK ((gate = ANY (ARRAY['a'::"char", 'h'::"char", 'o'::"char"]))),
    CONSTRAINT sitestate_next_class_check CHECK (((next_class >= 0) AND (next_class <= 9))),
    CONSTRAINT sitestate_run_limit_check CHECK ((run_limit >= 0))
)
WITH (fillfactor='70');

CREATE VIEW public.site_summary AS
 SELECT s.site_id,
    s.site,
    u.found,
    u.fetched,
    u.live,
    u.lost,
    u.redirects,
    u.withdrawn,
    u.error_server,
    u.error_auth,
    u.error_gone,
    u.error_unreachable,
    COALESCE((t.gate = 'h'::"char"), false) AS on_hold,
    u.unread
   FROM ((public.sites s
     JOIN ( SELECT w.site_id,
            count(*) AS found,
            count(*) FILTER (WHERE (w.status <> 0)) AS fetched,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (public.status_base(w.status) = 200))) AS live,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (w.status >= 65536))) AS lost,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (w.status = ANY (ARRAY[301, 302])))) AS redirects,
            count(*) FILTER (WHERE (w.deleted = 1)) AS withdrawn,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (c.class = 'server'::text))) AS error_server,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (c.class = 'auth'::text))) AS error_auth,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (c.class = 'gone'::text))) AS error_gone,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (c.class = 'unreachable'::text))) AS error_unreachable,
            count(*) FILTER (WHERE ((w.deleted = 0) AND (c.class = 'unread'::text))) AS unread
           FROM (((public.urlword w
             LEFT JOIN public.urlstate e ON ((e.url_id = w.url_id)))
             LEFT JOIN LATERAL ( SELECT h_1.result,
                    h_1.cause
                   FROM public.crawl_history h_1
                  WHERE ((e.error_class = 'unreachable'::text) AND (h_1.url_id = w.url_id))
                  ORDER BY h_1.at DESC, h_1.slot DESC
                 LIMIT 1) h ON (true))
             CROSS JOIN LATERAL ( SELECT
                        CASE
                            WHEN ((w.status >= 800) AND (w.status <= 806)) THEN 'unread'::text
                            WHEN ((h.cause IS NULL) OR (h.cause !~~ 'site on hold: %'::text) OR ((h.result >= 700) AND (h.result <= 799)) OR (h.result = 902)) THEN e.error_class
                            WHEN (h.result = ANY (ARRAY[404, 410, 905])) THEN 'gone'::text
                            WHEN (h.result = 401) THEN 'auth'::text
                            WHEN (h.result >= 400) THEN 'server'::text
                            ELSE NULL::text
                        END AS class) c)
          GROUP BY w.site_id) u ON ((u.site_id = s.site_id)))
     LEFT JOIN public.sitestate t ON ((t.site_id = s.site_id)));

CREATE TABLE public.sitemaps (
    sitemap_id integer NOT NULL,
    site_id integer NOT NULL,
    url text NOT NULL,
    named_in text DEFAULT ''::text NOT NULL,
    parents integer[] DEFAULT '{}'::integer[] NOT NULL,
    kind text DEFAULT ''::text NOT NULL,
    status smallint DEFAULT 0 NOT NULL,
    etag text DEFAULT ''::text NOT NULL,
    last_modified text DEFAULT ''::text NOT NULL,
    fetched_at timestamp with time zone,
    good_at timestamp with time zone,
    next_look timestamp with time zone DEFAULT now() NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    entries integer DEFAULT 0 NOT NULL,
    named integer DEFAULT 0 NOT NULL,
    refused integer DEFAULT 0 NOT NULL,
    refusals text DEFAULT ''::text NOT NULL,
    error text DEFAULT ''::text NOT NULL,
    error_line integer DEFAULT 0 NOT NULL,
    reached_run integer DEFAULT 0 NOT NULL,
    rules_hash bytea,
    CONSTRAINT sitemaps_kind_check CHECK ((kind = ANY (ARRAY[''::text, 'index'::text, 'urls'::text, 'text'::text, 'feed'::text])))
);

ALTER TABLE public.sitemaps ALTER COLUMN sitemap_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sitemaps_sitemap_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW public.sites_on_hold AS
 SELECT h.site_id,
    s.site,
    h.held_at,
    h.reason,
    w.url,
    h.cause,
    h.live,
    h.turned_lost,
    h.run_id
   FROM ((public.site_hold h
     JOIN public.sites s ON ((s.site_id = h.site_id)))
     LEFT JOIN public.urlword w ON ((w.url_id = h.url_id)))
  WHERE (h.ended_at IS NULL);

ALTER TABLE public.sites ALTER COLUMN site_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.sites_site_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.soft404_probe (
    site_id integer NOT NULL,
    url text NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    status smallint DEFAULT 0 NOT NULL,
    crc text DEFAULT ''::text NOT NULL,
    size bigint DEFAULT 0 NOT NULL,
    links integer DEFAULT 0 NOT NULL,
    words bytea DEFAULT '\x'::bytea NOT NULL
);

CREATE TABLE public.spaces (
    space_id integer NOT NULL,
    site_id integer NOT NULL
);

CREATE TABLE public.stat (
    addr text,
    proxy text,
    query text,
    ul text,
    sp text,
    site integer,
    np smallint,
    ps smallint,
    sites integer,
    urls integer,
    start numeric(15,3),
    finish numeric(15,3),
    referer text
);

CREATE VIEW public.stat_daily AS
 SELECT (to_timestamp((stat.start)::double precision))::date AS day,
    count(*) AS queries,
    count(DISTINCT stat.query) AS distinct_queries,
    count(*) FILTER (WHERE (stat.urls = 0)) AS empty,
    count(*) FILTER (WHERE (stat.urls < 0)) AS errors,
    count(DISTINCT stat.addr) FILTER (WHERE (stat.addr <> ''::text)) AS addresses,
    round(((percentile_cont((0.5)::double precision) WITHIN GROUP (ORDER BY (((stat.finish - stat.start))::double precision)) * (1000)::double precision))::numeric, 1) AS median_ms,
    round(((percentile_cont((0.95)::double precision) WITHIN GROUP (ORDER BY (((stat.finish - stat.start))::double precision)) * (1000)::double precision))::numeric, 1) AS p95_ms,
    round((max((stat.finish - stat.start)) * (1000)::numeric)) AS slowest_ms
   FROM public.stat
  GROUP BY ((to_timestamp((stat.start)::double precision))::date);

CREATE TABLE public.subsets (
    subset_id integer NOT NULL,
    mask text NOT NULL
);

ALTER TABLE public.subsets ALTER COLUMN subset_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.subsets_subset_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.subsetstate (
    subset_id integer NOT NULL,
    mask text NOT NULL,
    whole_sites boolean NOT NULL,
    problem text DEFAULT ''::text NOT NULL,
    built_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.suggestions (
    query text NOT NULL,
    searches integer NOT NULL,
    CONSTRAINT suggestions_query_check CHECK (((octet_length(query) >= 1) AND (octet_length(query) <= 256))),
    CONSTRAINT suggestions_searches_check CHECK ((searches > 0))
);

CREATE TABLE public.suggestionstate (
    only_row boolean DEFAULT true NOT NULL,
    filled_at timestamp with time zone,
    took interval DEFAULT '00:00:00'::interval NOT NULL,
    CONSTRAINT suggestionstate_only_row_check CHECK (only_row)
);

CREATE TABLE public.tmpurl (
    url_id integer NOT NULL,
    thread integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.totals (
    single boolean DEFAULT true NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    words bigint DEFAULT 0 NOT NULL,
    postings bigint DEFAULT 0 NOT NULL,
    positions bigint DEFAULT 0 NOT NULL,
    changes bigint DEFAULT 0 NOT NULL,
    CONSTRAINT totals_single_check CHECK (single)
);

CREATE VIEW public.unread_documents AS
 SELECT w.url_id,
    w.url,
    w.status,
    COALESCE(h.cause, ''::text) AS cause,
        CASE
            WHEN (w.status = 800) THEN COALESCE(lower(rtrim("substring"(h.cause, '^no converter for ([^ ;]+)'::text))), ''::text)
            ELSE ''::text
        END AS media_type
   FROM (public.urlword w
     LEFT JOIN LATERAL ( SELECT crawl_history.cause
           FROM public.crawl_history
          WHERE ((crawl_history.url_id = w.url_id) AND (crawl_history.result = w.status))
          ORDER BY crawl_history.at DESC, crawl_history.slot DESC
         LIMIT 1) h ON (true))
  WHERE (((w.status >= 800) AND (w.status <= 806)) AND (w.deleted = 0));

CREATE VIEW public.url_patterns AS
 SELECT s.site,
    p.pattern,
    p.known,
    p.fetched,
    p.contents
   FROM (( SELECT urlword.site_id,
            public.url_pattern(urlword.url) AS pattern,
            count(*) AS known,
            count(*) FILTER (WHERE (urlword.status <> 0)) AS fetched,
            count(DISTINCT urlword.crc) FILTER (WHERE (urlword.crc <> ''::text)) AS contents
           FROM public.urlword
          GROUP BY urlword.site_id, (public.url_pattern(urlword.url))) p
     JOIN public.sites s ON ((s.site_id = p.site_id)));

CREATE TABLE public.urlrank (
    url_id integer NOT NULL,
    rank real NOT NULL
);

CREATE VIEW public.urlword_status AS
 SELECT urlword.url_id,
    urlword.site_id,
    urlword.url,
    urlword.deleted,
    public.status_base(urlword.status) AS base_status,
    public.status_lost(urlword.status) AS lost_status,
    public.status_lost_count(urlword.status) AS lost_count,
    to_timestamp((urlword.next_index_time)::double precision) AS next_index,
        CASE
            WHEN (urlword.last_index_time > 0) THEN to_timestamp((urlword.last_index_time)::double precision)
            ELSE NULL::timestamp with time zone
        END AS last_index,
    urlword.referrer,
    urlword.tag,
    urlword.hops,
    urlword.redir,
    urlword.origin,
    urlword.crc
   FROM public.urlword;

ALTER TABLE public.urlword ALTER COLUMN url_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.urlword_url_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.wordfile_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.wordrules (
    single boolean DEFAULT true NOT NULL,
    min_length smallint DEFAULT 1 NOT NULL,
    max_length smallint DEFAULT 32 NOT NULL,
    stopwords text[] DEFAULT '{}'::text[] NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    leave_out text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT wordrules_max_length_check CHECK (((max_length >= 1) AND (max_length <= 32))),
    CONSTRAINT wordrules_min_length_check CHECK (((min_length >= 1) AND (min_length <= 32))),
    CONSTRAINT wordrules_single_check CHECK (single),
    CONSTRAINT wordrules_version_check CHECK ((version >= 1))
);

CREATE TABLE public.wordsite (
    word text NOT NULL,
    sites integer[] NOT NULL
);

ALTER TABLE public.wordurl ALTER COLUMN word_id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.wordurl_word_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

INSERT INTO public.citation VALUES
	(2, '{1,3,9}'),
	(3, '{1,2}'),
	(4, '{1}'),
	(5, '{1}'),
	(6, '{1}'),
	(7, '{1}'),
	(8, '{1}'),
	(9, '{1}'),
	(10, '{1}'),
	(11, '{2}');

INSERT INTO public.crawl_control VALUES
	(true, NULL, 'good', NULL, '\xad1607e8856cb516515d207f7bac9f5d', NULL, '78768906e69fdddb3739c118256e8078', '\xe3b0c44298fc1c149afbf4c8996fb924');

INSERT INTO public.crawl_history VALUES
	(1, 0, 1, '2026-11-23 20:16:27.654321+00', 'T-01', 200, 0, 200, 578, 0, ''),
	(2, 0, 1, '2026-11-23 20:16:27.739729+00', 'T-01', 200, 0, 200, 261, 1, ''),
	(4, 0, 1, '2026-11-23 20:16:27.739744+00', 'T-01', 200, 0, 200, 172, 1, ''),
	(3, 0, 1, '2026-11-23 20:16:27.759502+00', 'T-01o', 200, 0, 200, 172, 1, ''),
	(5, 0, 1, '2026-11-23 20:16:27.759536+00', 'T-01', 200, 0, 200, 136, 1, ''),
	(6, 0, 1, '2026-11-23 20:16:27.75954+00', 'T-01', 200, 0, 200, 117, 0, ''),
	(7, 0, 1, '2026-11-23 20:16:27.759543+00', 'T-01', 200, 0, 200, 3495, 0, ''),
	(9, 0, 1, '2026-11-23 20:16:27.759547+00', 'T-06', 406, 0, 406, 160, 0, ''),
	(10, 0, 1, '2026-11-23 20:16:27.759549+00', 'T-08', 404, 0, 404, 19, 0, ''),
	(8, 0, 1, '2026-11-23 20:16:27.759552+00', 'T-01', 200, 0, 200, 187, 1, ''),
	(11, 0, 1, '2026-11-23 20:16:27.773203+00', 'T-01c', 200, 0, 200, 578, 0, ''),
	(1, 1, 3, '2026-11-23 20:16:29.047514+00', 'T-02', 304, 200, 200, 0, 1, ''),
	(3, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 1, ''),
	(2, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 2, ''),
	(4, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 2, ''),
	(11, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 2, ''),
	(7, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 0, ''),
	(8, 1, 3, '2026-11-23 20:16:29.064581+00', 'T-02', 304, 200, 200, 0, 0, ''),
	(9, 1, 3, '2026-11-23 20:16:29.073604+00', 'T-02', 304, 406, 406, 0, 0, ''),
	(5, 1, 3, '2026-11-23 20:16:29.073619+00', 'T-07', 404, 200, 160694472, 19, 1, ''),
	(10, 1, 3, '2026-11-23 20:16:29.073623+00', 'T-08', 404, 404, 404, 19, 0, ''),
	(6, 1, 3, '2026-11-23 20:16:29.073626+00', 'T-04', 200, 200, 200, 120, 0, ''),
	(501, 0, 4, '2026-11-23 20:16:29.663837+00', 'T-01', 200, 0, 200, 118, 1, '');

INSERT INTO public.crawled_by VALUES
	('host', '127.0.0.1', '2026-11-23 20:16:27.205731+00');

INSERT INTO public.docdates VALUES
	(4, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', NULL, NULL, NULL, NULL, NULL, NULL),
	(9, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', NULL, NULL, NULL, NULL, NULL, NULL),
	(11, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', NULL, NULL, NULL, NULL, NULL, NULL),
	(1, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 61, 'en', 'html', 0, NULL, NULL),
	(2, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 47, 'en', 'html', 0, NULL, NULL),
	(3, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 42, 'en', 'html', 0, NULL, NULL),
	(5, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 40, '', 'html', 0, NULL, NULL),
	(6, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 37, '', 'html', 0, NULL, NULL),
	(7, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 102, '', 'html', 0, NULL, NULL),
	(8, '2026-11-23 20:16:27+00', '2026-11-23 20:16:18+00', 'last-modified', 'fetch', 41, '', 'html', 0, NULL, NULL);

INSERT INTO public.docwords VALUES
	(1, 1, '\x021e0104020203020401040101010401030102010101010102010101040101010201010401020101010102020301020102010101010302010202010101010300733a64241a2bec7c800269a4553377f9ea9780042cd79bf090f62c54'),
	(2, 2, '\x020f01010101030302010101010108010101050108010401030104010a020101030033b342360484cc20800425cd45525134f25a80026adc62c321530a19'),
	(3, 5, '\x020b010201010301010105010c010201040101010201090202005c83b1e7fde5a43d8006537d2ab80d8deaed'),
	(5, 6, '\x0209020102010c01040107011102020106020401020024e4d9d2ec35824580064520e1d462f76872'),
	(6, 7, '\x02070d0103010501060102010e0209020200b1b061b3030f93d58006eae1162b6cdfba2a'),
	(7, 8, '\x020221010fd8040b0047b9bacdab12d28c0150d0ce53c1755d23013e1df8f511ff1df701a3891a4cbd32784101da696ea4184b9ad601a53f56d298af7bdf014cbf80dcd625c06701dcc78c76a51d1d550159b0bbd8ddf4ea6601e291e7d8d7dd5163f705151e004d7c56cea6'),
	(8, 10, '\x020c0c012a0104010101010101010101010101010101010101010200c843bd5b4300610d80069d14c0738c25c2e2');

INSERT INTO public.goose_db_version VALUES
	(1, 0, true, '2026-11-23 20:16:24.251414'),
	(2, 101, true, '2026-11-23 20:16:24.290356'),
	(3, 102, true, '2026-11-23 20:16:24.448978'),
	(4, 103, true, '2026-11-23 20:16:24.981885'),
	(5, 104, true, '2026-11-23 20:16:25.270653'),
	(6, 105, true, '2026-11-23 20:16:25.50667'),
	(7, 106, true, '2026-11-23 20:16:25.582566'),
	(8, 107, true, '2026-11-23 20:16:25.696846'),
	(9, 108, true, '2026-11-23 20:16:25.737944'),
	(10, 109, true, '2026-11-23 20:16:25.762381'),
	(11, 110, true, '2026-11-23 20:16:25.802514'),
	(12, 111, true, '2026-11-23 20:16:25.902773'),
	(13, 112, true, '2026-11-23 20:16:25.922554'),
	(14, 113, true, '2026-11-23 20:16:25.946579'),
	(15, 115, true, '2026-11-23 20:16:25.966644'),
	(16, 117, true, '2026-11-23 20:16:25.996272'),
	(17, 118, true, '2026-11-23 20:16:26.013086'),
	(18, 119, true, '2026-11-23 20:16:26.041963'),
	(19, 120, true, '2026-11-23 20:16:26.050524'),
	(20, 124, true, '2026-11-23 20:16:26.061595'),
	(21, 125, true, '2026-11-23 20:16:26.098772'),
	(22, 127, true, '2026-11-23 20:16:26.126809'),
	(23, 130, true, '2026-11-23 20:16:26.207102'),
	(24, 132, true, '2026-11-23 20:16:26.216761'),
	(25, 134, true, '2026-11-23 20:16:26.255921'),
	(26, 140, true, '2026-11-23 20:16:26.272447'),
	(27, 146, true, '2026-11-23 20:16:26.282944'),
	(28, 150, true, '2026-11-23 20:16:26.302594'),
	(29, 155, true, '2026-11-23 20:16:26.333388'),
	(30, 156, true, '2026-11-23 20:16:26.357789'),
	(31, 157, true, '2026-11-23 20:16:26.389344'),
	(32, 160, true, '2026-11-23 20:16:26.416766'),
	(33, 165, true, '2026-11-23 20:16:26.449092'),
	(34, 176, true, '2026-11-23 20:16:26.486554'),
	(35, 177, true, '2026-11-23 20:16:26.501061'),
	(36, 178, true, '2026-11-23 20:16:26.549295'),
	(37, 179, true, '2026-11-23 20:16:26.570695'),
	(38, 180, true, '2026-11-23 20:16:26.586605'),
	(39, 190, true, '2026-11-23 20:16:26.589208'),
	(40, 191, true, '2026-11-23 20:16:26.694603'),
	(41, 195, true, '2026-11-23 20:16:26.695847'),
	(42, 196, true, '2026-11-23 20:16:26.698437'),
	(43, 210, true, '2026-11-23 20:16:26.71887'),
	(44, 220, true, '2026-11-23 20:16:26.829317'),
	(45, 221, true, '2026-11-23 20:16:26.837385'),
	(46, 222, true, '2026-11-23 20:16:26.866556'),
	(47, 223, true, '2026-11-23 20:16:26.873535'),
	(48, 224, true, '2026-11-23 20:16:26.886781'),
	(49, 225, true, '2026-11-23 20:16:26.902565'),
	(50, 226, true, '2026-11-23 20:16:26.917655'),
	(51, 230, true, '2026-11-23 20:16:26.945038'),
	(52, 240, true, '2026-11-23 20:16:26.990316'),
	(53, 250, true, '2026-11-23 20:16:26.998564'),
	(54, 260, true, '2026-11-23 20:16:27.018007'),
	(55, 270, true, '2026-11-23 20:16:27.062796'),
	(56, 271, true, '2026-11-23 20:16:27.114624'),
	(57, 275, true, '2026-11-23 20:16:27.127704'),
	(58, 280, true, '2026-11-23 20:16:27.163575'),
	(59, 281, true, '2026-11-23 20:16:27.168726');

INSERT INTO public.journal VALUES
	(13, 5, 6, 3, 6, 1, 200, '\x010729070005637261776c0002696e0101730004706c756d00067365636f6e640003746865000679656c6c6f770101010201020107040201ffff02060005039725d309', '{}', '{}', 0, NULL, '2026-11-23 20:16:29+00', false),
	(14, NULL, 0, 4, 501, 1, 200, '\x0107260700066368657272790002696e0205646578656401017300047265616c00037468650103696d650201010101010101ffff020403020500065389e555', '{}', '{}', 0, '2026-11-23 20:16:18+00', '2026-11-23 20:16:29+00', false);

INSERT INTO public.markdel VALUES
	(6, 12, 5, 1, 3, '2026-11-23 20:16:29.066389+00', 'T-04', '{}');

INSERT INTO public.process VALUES
	(2, 3, 'index host/29122', '2026-11-23 20:16:28.924524+00', '2026-11-23 20:16:29.085376+00', 11, 0, 1, 8, 1, 1, 0, 9, 158);

INSERT INTO public.rankstate VALUES
	(true, 12, 0, 7, '2026-11-23 20:16:28.002306+00');

INSERT INTO public.reindexing VALUES
	(1, 'crawl', '2026-11-23 20:16:27.277499+00', '2026-11-23 20:16:27.798104+00', 'complete', 'index host/28727', '--config /etc/pgseek', false, '\xad1607e8856cb516515d207f7bac9f5d', 11, 9, 0, 0, 0, 1, 0, 763, 5875, '', false, '2026-11-23 20:16:27.494863+00', '{1}'),
	(2, 'merge', '2026-11-23 20:16:27.863167+00', '2026-11-23 20:16:28.04979+00', 'complete', 'index host/28727', '--config /etc/pgseek', false, '\xad1607e8856cb516515d207f7bac9f5d', 7, 0, 0, 0, 0, 0, 0, 67, 1485, '', false, NULL, '{}'),
	(3, 'crawl', '2026-11-23 20:16:28.924524+00', '2026-11-23 20:16:29.085376+00', 'complete', 'index host/29122', '--config /etc/pgseek -a --no-merge', false, '\xad1607e8856cb516515d207f7bac9f5d', 11, 0, 1, 8, 1, 1, 0, 9, 158, '-a', false, '2026-11-23 20:16:28.993582+00', '{1}'),
	(4, 'realtime', '2026-11-23 20:16:29.529795+00', '2026-11-23 20:16:29.67965+00', 'complete', 'index host/29151', '--config /etc/pgseek -T http://127.0.0.1:18043/late.html', true, '\xad1607e8856cb516515d207f7bac9f5d', 1, 1, 0, 0, 0, 0, 0, 8, 118, '', false, NULL, '{}');

INSERT INTO public.robots VALUES
	('127.0.0.1:18043', '/private/');

INSERT INTO public.robots_cache VALUES
	('127.0.0.1:18043', '2026-11-23 20:16:27.569514+00', 200, 0, '2026-11-23 20:16:27.569514+00', '\x557365722d6167656e743a202a0a446973616c6c6f773a202f707269766174652f0a', '\xdb52c35d62d9f6eca23cee96cebdbf38', 0, NULL, 0, NULL, false, '');

INSERT INTO public.rt_urls VALUES
	(501, 14, '\x01071b01010101011701100201010101');

INSERT INTO public.schedule VALUES
	(1, 1, 'host/28727/0', 1, '2026-11-23 20:16:27.512111+00', '2026-11-23 20:46:27.512111+00', 'a', 0, '{1}', '{1}', 1),
	(2, 1, 'host/28727/0', 1, '2026-11-23 20:16:27.677529+00', '2026-11-23 20:46:27.677529+00', 'a', 0, '{1}', '{2,3,4,5,6,7,8,9,10}', 1),
	(3, 1, 'host/28727/0', 1, '2026-11-23 20:16:27.762353+00', '2026-11-23 20:46:27.762353+00', 'a', 0, '{1}', '{11}', 1),
	(4, 3, 'host/29122/0', 1, '2026-11-23 20:16:29.003777+00', '2026-11-23 20:46:29.003777+00', 'a', 0, '{1}', '{1}', 2),
	(5, 3, 'host/29122/0', 1, '2026-11-23 20:16:29.053648+00', '2026-11-23 20:46:29.053648+00', 'a', 0, '{1}', '{2,3,4,11,9,5,6,7,8,10}', 2);

INSERT INTO public.sites VALUES
	(1, 'http://127.0.0.1:18043/');

INSERT INTO public.sitestate VALUES
	(1, '127.0.0.1', 0, 1795464989, '2026-11-23 20:16:29.053648+00', true, 1, '-infinity', 'a', 9, 1, 1, 0, NULL, 0, NULL, NULL, NULL, 0, 0);

INSERT INTO public.soft404_probe VALUES
	(1, 'http://127.0.0.1:18043/pgseek-7c85175ee88547fb.html', '2026-11-23 20:16:27.700311+00', 404, '', 0, 0, '\x');

INSERT INTO public.spaces VALUES
	(1, 1);

INSERT INTO public.stat VALUES
	('127.0.0.1', NULL, 'apple', NULL, NULL, NULL, 0, 10, 1, 3, 1700000000.000, 1700000000.012, NULL);

INSERT INTO public.subsetdocs VALUES
	(1, 1, 0, '{3}'),
	(2, 1, -1, NULL);

INSERT INTO public.subsets VALUES
	(1, 'http://127.0.0.1:18043/p%'),
	(2, 'http://127.0.0.1:18043/%');

INSERT INTO public.subsetstate VALUES
	(1, 'http://127.0.0.1:18043/p%', true, '', '2026-11-23 20:16:28.559862+00'),
	(2, 'http://127.0.0.1:18043/%', true, '', '2026-11-23 20:16:28.580736+00');

INSERT INTO public.suggestionstate VALUES
	(true, '2026-11-23 20:16:28.044876+00', '00:00:00.010521');

INSERT INTO public.totals VALUES
	(true, 7, 67, 86, 707, 1);

INSERT INTO public.urlkey VALUES
	('\x1653457b925b0276ef2216cb8764d8dc', 1),
	('\x082b28a26f10f4925e04982951683c70', 8),
	('\x1410b4d19bf13ff758433370d8ac4ee5', 3),
	('\x18c5670957a6e8bb6788363b977dd486', 9),
	('\x3397c3ed05f5d2a08dda89390e1264fb', 2),
	('\x4e0edb277fc3469ca9bbcdc1ea339e19', 5),
	('\x68d20b67fb28c007cb3e4902b186fb7d', 10),
	('\xae19ba5b62dc8aba3b1ba0f90a4e54ac', 4),
	('\xb72af119904fe809542e777da86b3a87', 6),
	('\xf1f00395f33bd29ffca33dc9f061f566', 7),
	('\x522c207ba5b3fe2b4ba8f1ff8861df2c', 11),
	('\x9a14f8d120427760e17d0f7f5837e892', 501);

INSERT INTO public.urlrank VALUES
	(1, 0.39424443),
	(2, 0.5658731),
	(3, 0.43638375),
	(5, 0.19213933),
	(6, 0.19213933),
	(7, 0.19213933),
	(8, 0.19213933);

INSERT INTO public.urlstate VALUES
	(1, 2, '2026-11-23 20:16:29.047514+00', '', 0, 196611, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(3, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(2, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(4, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(11, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(7, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(8, 2, '2026-11-23 20:16:29.064581+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(9, 2, '2026-11-23 20:16:29.066389+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(5, 2, '2026-11-23 20:16:29.066389+00', 'gone', 1, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'gone error 1: 1d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(10, 2, '2026-11-23 20:16:29.066389+00', 'gone', 2, 3, 0, 3, NULL, NULL, '{}', 2, '', 0, 0, 0, 'never indexed, gone error 2: 20m', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(6, 2, '2026-11-23 20:16:29.066389+00', '', 0, 65539, 0, 3, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 2, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL),
	(501, 1, '2026-11-23 20:16:29.644128+00', '', 0, 65539, 0, 4, '\x8ab8df92d8ec5e30d85b1ac37f31f888', NULL, '{}', 1, '', 0, 0, 0, 'period 7d', 0, 0, 0, NULL, NULL, NULL, NULL, 0, 0, '', NULL, NULL);

INSERT INTO public.urlword VALUES
	(1, 1, 0, 'http://127.0.0.1:18043/', 1796069789, 200, '609088817dcbe9169bb42f37828903cc', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b44d5e84-242"', 1795464989, 0, 0, 0, 0, 0),
	(3, 1, 0, 'http://127.0.0.1:18043/pear.html', 1796069789, 200, 'a9d649e9b0ec787aea103f973bf8ac42', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b451b3d1-ac"', 1795464989, 1, 0, 1, 0, 0),
	(2, 1, 0, 'http://127.0.0.1:18043/apple.html', 1796069789, 200, 'afa30a8eabc0e7fd7756df5b671be8f4', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b428ef33-105"', 1795464989, 1, 0, 1, 0, 0),
	(4, 1, 0, 'http://127.0.0.1:18043/copy.html', 1796069789, 200, 'a9d649e9b0ec787aea103f973bf8ac42', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b4491f15-ac"', 1795464989, 1, 0, 1, 0, 3),
	(11, 1, 0, 'http://127.0.0.1:18043/index.html', 1796069789, 200, '609088817dcbe9169bb42f37828903cc', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b44d5e84-242"', 1795464989, 2, 0, 2, 0, 1),
	(7, 1, 0, 'http://127.0.0.1:18043/many.html', 1796069789, 200, 'd09151247e9be669302f7541dabb9631', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b4503e23-da7"', 1795464989, 1, 0, 1, 0, 0),
	(8, 1, 0, 'http://127.0.0.1:18043/unicode.html', 1796069789, 200, '2eb580717dee1f836c619c8e1f17f741', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b453987b-bb"', 1795464989, 1, 0, 1, 0, 0),
	(9, 1, 0, 'http://127.0.0.1:18043/hidden.html', 1796069789, 406, 'a5069a5a0fce2316680129c23b50c4f2', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b44beb75-a0"', 1795464989, 1, 0, 1, 0, 0),
	(5, 1, 0, 'http://127.0.0.1:18043/gone.html', 1795551389, 160694472, 'b7c094251a39e7d9329f8b6623babf29', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b44a9906-88"', 1795464989, 1, 0, 1, 0, 0),
	(10, 1, 0, 'http://127.0.0.1:18043/missing.html', 1795466189, 404, '', '', '', 1795464989, 1, 0, 1, 0, 0),
	(6, 1, 0, 'http://127.0.0.1:18043/changed.html', 1796069789, 200, '463c40bd769c6c6b5898dd9cd4500c0e', 'Mon, 23 Nov 2026 20:16:28 GMT', '"18eac5e4febfca58-78"', 1795464989, 1, 0, 1, 0, 0),
	(501, 1, 0, 'http://127.0.0.1:18043/late.html', 1796069789, 200, 'a8f8c32617196c25f0777a6e995e9dde', 'Mon, 23 Nov 2026 20:16:18 GMT', '"18eac5e2b44ec695-76"', 1795464989, 0, 0, 0, 0, 0);

INSERT INTO public.urlwords01 VALUES
	(1, 0, 30, 43, 'text/html; charset=utf-8', 'utf-8', 'Orchard', 'Orchard Apples and pears grow here. See apples, pears, a copy, a page that will go, one that will change, one with many words, other scripts, one not to be indexed and one that is missing.', 578, '', 'A small site for a dump', 'en', '\x420200001f8b080000096e8800ff5c91416f1c210c85effb2b5cced5a2dcbd4851db732ab5971e9dc11990c046e0683aff3ed2cc6e269a1be8bdf7f961f0dbcf971f7ffffdfe05c96a0998ac162824f3cdb1b880892906b46c85c34b9f12f5887ebf62652310aa7c7391c7d473b3ace260523116bbb96718954a81918de14d3b10c4f7da5c40bf712ff8aa710d989e0e767a0ad8c2736b85079044684c7dc0dc7581c49daff087199020757ebb396aadf035592d2e6ce7819ec2f7c3d098fa5ddf489b7cf9cc4fdad6471c266deb293eab7ce2a1d1cc60890c965c0acc7a324f8964e678e7a97c35efda1638a65792c7741586255b824ab2c2a23d9e5ff22e79d2f868a396b8c3bef5b333e51859bed41035308557862c91ff73444fe142128f3dd53c4696f9dc3d0fb82be8295cd1b7807eff359fac9670f91800269036ff42020000', '{2,3,4,5,6,7,8,9,10}');

INSERT INTO public.urlwords02 VALUES
	(2, 0, 15, 18, 'text/html; charset=utf-8', 'utf-8', 'Apple', 'An apple a day keeps the doctor away. Back to the orchard; next are pears.', 261, 'fruit, apple', '', 'en', '\x050100001f8b080000096e8800ff44cebd4ec4301004e0fe9e62718de20760b3d2f153434143b9c473388affe42cbaf3db231124cad17c1a0ddf3dbf3ebd7fbcbd50b49c84a3e54449cbd7ec509c708406615b2d41cead25b03f02679852d18cd96d18d7dac3ee68a9c5506c7697febdda3d696b094ed8ffee9cf8b38621dce45c8e8a94820eda80b6934550a88bd54e7ad531d1a32e1b5925568a1d97d9ad25e03645cbc9894550ed4bd41ed8ab3c50c1cd483bfe7983f63fdda07d67af32b16fc2fe38e2a3e524a79f010042368deb05010000', '{3,11}');

INSERT INTO public.urlwords03 VALUES
	(3, 0, 11, 13, 'text/html; charset=utf-8', 'utf-8', 'Pear', 'A pear is a fruit like an apple. Apples grow beside it.', 172, '', '', 'en', '\xac0000001f8b080000096e8800ff248c418a83401045f79ee24f1fc0be40592033b31e17b3c9b2c4d26e52ad4d5b21e4f681b87b8f078fbe7efebeff6fd32f9217634a5e0c26fb3604dd03535259983cbb294f2a8de2c5143fa5a3f9585e4c95475495867c42b0b6477658be2b6487d46ada8304a9e93a84cb93170b3cd66a7a5214c6d68e27663df3a2c8de53ac4cf1bac7e4c5b87b0f003e03a715ac000000', '{2}');

INSERT INTO public.urlwords05 VALUES
	(5, 0, 9, 11, 'text/html; charset=utf-8', 'utf-8', 'Quince', 'The quince answers with an error in the second crawl.', 136, '', '', '', '\x880000001f8b080000096e8800ff2c8c310a023110457b4ff1bd80b9c0308d5aabb08d654c0612c826eb6424787bc16cf3e1f31e8f8e97db7979deaf48b616a67dc54726cb56841f9f5c83909b8fdc64af16bf4c1b2f49f0fe1bf0b50fd18e912dc157886a53e40a4b822ea1d588a07e9413b98dc9cd844bb6163efc0600b07073a388000000', '{}'),
	(501, 0, 7, 8, 'text/html; charset=utf-8', 'utf-8', 'Cherry', 'The cherry is indexed in real time.', 118, '', '', '', '\xffffffff3c21444f43545950452068746d6c3e3c68746d6c3e3c686561643e3c7469746c653e4368657272793c2f7469746c653e3c2f686561643e3c626f64793e3c703e5468652063686572727920697320696e646578656420696e207265616c2074696d652e3c2f703e3c2f626f64793e3c2f68746d6c3e0a', '{}');

INSERT INTO public.urlwords06 VALUES
	(6, 0, 7, 9, 'text/html; charset=utf-8', 'utf-8', 'Plum', 'The plum is yellow in the second crawl.', 120, '', '', '', '\xffffffff3c21444f43545950452068746d6c3e3c68746d6c3e3c686561643e3c7469746c653e506c756d3c2f7469746c653e3c2f686561643e3c626f64793e3c703e54686520706c756d2069732079656c6c6f7720696e20746865207365636f6e6420637261776c2e3c2f703e3c2f626f64793e3c2f68746d6c3e0a', '{}');

INSERT INTO public.urlwords07 VALUES
	(7, 0, 2, 601, 'text/html; charset=utf-8', 'utf-8', 'Many', 'seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed seed', 3495, '', '', '', '\xa70d00001f8b080000096e8800ffb25174f1770e890c7055c828c9cdb1b38192a98929763625992539a976be89799536fa10b68d3e4426293fa5d28ecba6c0ae383535458114c246bf6054e3a8c6518da31a47358e6a1cd538aa7154e3a8c6518da31a4735226bd407f7b16cf4334a7273ecb800030079a2aa6ba70d0000', '{}');

INSERT INTO public.urlwords08 VALUES
	(8, 0, 12, 12, 'text/html; charset=utf-8', 'utf-8', 'Äpfel und Birnen', 'Яблоко и груша, 林檎と梨, μήλο και αχλάδι.', 187, '', '', '', '\xffffffff3c21444f43545950452068746d6c3e3c68746d6c3e3c686561643e3c6d65746120636861727365743d227574662d38223e3c7469746c653ec3847066656c20756e64204269726e656e3c2f7469746c653e3c2f686561643e3c626f64793e3c703ed0afd0b1d0bbd0bed0bad0be20d0b820d0b3d180d183d188d0b02c20e69e97e6aa8ee381a8e6a2a82c20cebcceaecebbcebf20cebaceb1ceb920ceb1cf87cebbceacceb4ceb92e3c2f703e3c2f626f64793e3c2f68746d6c3e0a', '{}');

INSERT INTO public.urlwords09 VALUES
	(9, 0, 0, 0, 'text/html; charset=utf-8', 'utf-8', 'Hidden', '', 160, '', '', '', '\xa00000001f8b080000096e8800ff2c8c310ec2300c00775e11f280e603ae2504482c08061646171ba592e358ad07f83d43594ebae10ef6a7dbf1f1bc9f538da6087f0a314293a064d464cc4b9f7aac39bdba85588cd9fa6c2c9f8c1073a8e065661683b21994ed3075fe22385e8595962101a5bac87bcce4ae32d4689af1e0aeb2422184e208658b4a8da6b8fb0d005c811d5aa0000000', '{2}');

INSERT INTO public.wordfile VALUES
	(48, 2, 1, 7, 1, 1, 600, '\x0c00000001000000c204000007000000580200000100020003000400050006000700080009000a000b000c000d000e000f0010001100120013001400150016001700180019001a001b001c001d001e001f0020002100220023002400250026002700280029002a002b002c002d002e002f0030003100320033003400350036003700380039003a003b003c003d003e003f0040004100420043004400450046004700480049004a004b004c004d004e004f0050005100520053005400550056005700580059005a005b005c005d005e005f0060006100620063006400650066006700680069006a006b006c006d006e006f0070007100720073007400750076007700780079007a007b007c007d007e007f0080008100820083008400850086008700880089008a008b008c008d008e008f0090009100920093009400950096009700980099009a009b009c009d009e009f00a000a100a200a300a400a500a600a700a800a900aa00ab00ac00ad00ae00af00b000b100b200b300b400b500b600b700b800b900ba00bb00bc00bd00be00bf00c000c100c200c300c400c500c600c700c800c900ca00cb00cc00cd00ce00cf00d000d100d200d300d400d500d600d700d800d900da00db00dc00dd00de00df00e000e100e200e300e400e500e600e700e800e900ea00eb00ec00ed00ee00ef00f000f100f200f300f400f500f600f700f800f900fa00fb00fc00fd00fe00ff0000010101020103010401050106010701080109010a010b010c010d010e010f0110011101120113011401150116011701180119011a011b011c011d011e011f0120012101220123012401250126012701280129012a012b012c012d012e012f0130013101320133013401350136013701380139013a013b013c013d013e013f0140014101420143014401450146014701480149014a014b014c014d014e014f0150015101520153015401550156015701580159015a015b015c015d015e015f0160016101620163016401650166016701680169016a016b016c016d016e016f0170017101720173017401750176017701780179017a017b017c017d017e017f0180018101820183018401850186018701880189018a018b018c018d018e018f0190019101920193019401950196019701980199019a019b019c019d019e019f01a001a101a201a301a401a501a601a701a801a901aa01ab01ac01ad01ae01af01b001b101b201b301b401b501b601b701b801b901ba01bb01bc01bd01be01bf01c001c101c201c301c401c501c601c701c801c901ca01cb01cc01cd01ce01cf01d001d101d201d301d401d501d601d701d801d901da01db01dc01dd01de01df01e001e101e201e301e401e501e601e701e801e901ea01eb01ec01ed01ee01ef01f001f101f201f301f401f501f601f701f801f901fa01fb01fc01fd01fe01ff0100020102020203020402050206020702080209020a020b020c020d020e020f0210021102120213021402150216021702180219021a021b021c021d021e021f0220022102220223022402250226022702280229022a022b022c022d022e022f0230023102320233023402350236023702380239023a023b023c023d023e023f0240024102420243024402450246024702480249024a024b024c024d024e024f0250025102520253025402550256025702');

INSERT INTO public.wordrules VALUES
	(true, 1, 32, '{}', 2, '{}');

INSERT INTO public.wordsite VALUES
	('0', '{1610612737}'),
	('127', '{268435457}'),
	('1:18043', '{-2147483647}');

INSERT INTO public.wordurl VALUES
	('a', 1, '\x0c000000010000002c00000001000000040009000b0000400440020000000100020003000000020000000300', 3, 7),
	('an', 2, '\x0c0000000100000024000000020000000100000003000000010006000500000001000400', 3, 3),
	('and', 3, '\x0c000000010000001600000001000000020002001f00', 1, 2),
	('answers', 4, '\x0c00000001000000140000000500000001000200', 1, 1),
	('apple', 5, '\x0c00000001000000200000000200000003000100018000c00300000001000700', 2, 4),
	('apples', 6, '\x0c000000010000001e000000010000000200010007000300000001000800', 2, 3),
	('are', 7, '\x0c00000001000000140000000200000001000d00', 1, 1),
	('away', 8, '\x0c00000001000000140000000200000001000700', 1, 1),
	('back', 9, '\x0c00000001000000140000000200000001000800', 1, 1),
	('be', 10, '\x0c00000001000000140000000100000001001d00', 1, 1),
	('beside', 11, '\x0c00000001000000140000000300000001000a00', 1, 1),
	('birnen', 12, '\x0c000000010000001400000008000000010002c0', 1, 1),
	('blue', 13, '\x0c00000001000000140000000600000001000300', 1, 1),
	('change', 14, '\x0c00000001000000140000000100000001001300', 1, 1),
	('copy', 15, '\x0c00000001000000140000000100000001000a00', 1, 1),
	('crawl', 16, '\x0c000000010000001c00000005000000010009000600000001000700', 2, 2),
	('day', 17, '\x0c00000001000000140000000200000001000300', 1, 1),
	('doctor', 18, '\x0c00000001000000140000000200000001000600', 1, 1),
	('dump', 19, '\x0c00000001000000140000000100000001000540', 1, 1),
	('error', 20, '\x0c00000001000000140000000500000001000500', 1, 1),
	('first', 21, '\x0c00000001000000140000000600000001000600', 1, 1),
	('for', 22, '\x0c00000001000000140000000100000001000340', 1, 1),
	('fruit', 23, '\x0c000000010000001c00000002000000010000800300000001000400', 2, 2),
	('go', 24, '\x0c00000001000000140000000100000001000f00', 1, 1),
	('grow', 25, '\x0c000000010000001c00000001000000010004000300000001000900', 2, 2),
	('here', 26, '\x0c00000001000000140000000100000001000500', 1, 1),
	('in', 27, '\x0c000000010000001c00000005000000010006000600000001000400', 2, 2),
	('indexed', 28, '\x0c00000001000000140000000100000001001e00', 1, 1),
	('is', 29, '\x0c0000000100000024000000010000000100220003000000010002000600000001000200', 3, 3),
	('it', 30, '\x0c00000001000000140000000300000001000b00', 1, 1),
	('keeps', 31, '\x0c00000001000000140000000200000001000400', 1, 1),
	('like', 32, '\x0c00000001000000140000000300000001000500', 1, 1),
	('many', 33, '\x0c000000010000001c000000010000000100160007000000010000c0', 2, 2),
	('missing', 34, '\x0c00000001000000140000000100000001002300', 1, 1),
	('next', 35, '\x0c00000001000000140000000200000001000c00', 1, 1),
	('not', 36, '\x0c00000001000000140000000100000001001b00', 1, 1),
	('one', 37, '\x0c000000010000001a000000010000000400100014001a002000', 1, 4),
	('orchard', 38, '\x0c000000010000001e000000010000000200000000c00200000001000b00', 2, 3),
	('other', 39, '\x0c00000001000000140000000100000001001800', 1, 1),
	('page', 40, '\x0c00000001000000140000000100000001000c00', 1, 1),
	('pear', 41, '\x0c0000000100000016000000030000000200010000c0', 1, 2),
	('pears', 42, '\x0c000000010000001e000000010000000200030008000200000001000e00', 2, 3),
	('plum', 43, '\x0c0000000100000016000000060000000200010000c0', 1, 2),
	('quince', 44, '\x0c0000000100000016000000050000000200010000c0', 1, 2),
	('scripts', 45, '\x0c00000001000000140000000100000001001900', 1, 1),
	('second', 46, '\x0c00000001000000140000000500000001000800', 1, 1),
	('see', 47, '\x0c00000001000000140000000100000001000600', 1, 1),
	('seed', 48, '\x', 1, 600),
	('site', 49, '\x0c00000001000000140000000100000001000240', 1, 1),
	('small', 50, '\x0c00000001000000140000000100000001000140', 1, 1),
	('that', 51, '\x0c00000001000000180000000100000003000d0011002100', 1, 3),
	('the', 52, '\x0c000000010000002a00000002000000020005000a000500000002000000070006000000020000000500', 3, 6),
	('to', 53, '\x0c000000010000001c0000000100000001001c000200000001000900', 2, 2),
	('und', 54, '\x0c000000010000001400000008000000010001c0', 1, 1),
	('will', 55, '\x0c00000001000000160000000100000002000e001200', 1, 2),
	('with', 56, '\x0c000000010000001c00000001000000010015000500000001000300', 2, 2),
	('words', 57, '\x0c00000001000000140000000100000001001700', 1, 1),
	('äpfel', 58, '\x0c000000010000001400000008000000010000c0', 1, 1),
	('αχλάδι', 59, '\x0c00000001000000140000000800000001000800', 1, 1),
	('και', 60, '\x0c00000001000000140000000800000001000700', 1, 1),
	('μήλο', 61, '\x0c00000001000000140000000800000001000600', 1, 1),
	('груша', 62, '\x0c00000001000000140000000800000001000200', 1, 1),
	('и', 63, '\x0c00000001000000140000000800000001000100', 1, 1),
	('яблоко', 64, '\x0c00000001000000140000000800000001000000', 1, 1),
	('と梨', 65, '\x0c00000001000000140000000800000001000500', 1, 1),
	('林檎', 66, '\x0c00000001000000140000000800000001000300', 1, 1),
	('檎と', 67, '\x0c00000001000000140000000800000001000400', 1, 1),
	('cherry', 68, '\x', 0, 0),
	('real', 69, '\x', 0, 0),
	('time', 70, '\x', 0, 0);

INSERT INTO public.wordurl1 VALUES
	('in', 27, '\x0c0000000100000014000000f501000001000400', 1, 1),
	('indexed', 28, '\x0c0000000100000014000000f501000001000300', 1, 1),
	('is', 29, '\x0c0000000100000014000000f501000001000200', 1, 1),
	('the', 52, '\x0c0000000100000014000000f501000001000000', 1, 1),
	('cherry', 68, '\x0c0000000100000016000000f50100000200010000c0', 1, 2),
	('real', 69, '\x0c0000000100000014000000f501000001000500', 1, 1),
	('time', 70, '\x0c0000000100000014000000f501000001000600', 1, 1);

SELECT pg_catalog.setval('public.goose_db_version_id_seq', 59, true);

SELECT pg_catalog.setval('public.journal_seq', 14, true);

SELECT pg_catalog.setval('public.process_process_id_seq', 2, true);

SELECT pg_catalog.setval('public.reindexing_run_id_seq', 4, true);

SELECT pg_catalog.setval('public.schedule_seq_seq', 5, true);

SELECT pg_catalog.setval('public.site_hold_hold_id_seq', 1, false);

SELECT pg_catalog.setval('public.sitemaps_sitemap_id_seq', 1, false);

SELECT pg_catalog.setval('public.sites_site_id_seq', 1, true);

SELECT pg_catalog.setval('public.subsets_subset_id_seq', 2, true);

SELECT pg_catalog.setval('public.urlword_url_id_seq', 1000, true);

SELECT pg_catalog.setval('public.wordfile_seq', 1, true);

SELECT pg_catalog.setval('public.wordurl_word_id_seq', 70, true);

ALTER TABLE ONLY public.citation
    ADD CONSTRAINT citation_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.crawl_control
    ADD CONSTRAINT crawl_control_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.crawl_history
    ADD CONSTRAINT crawl_history_pkey PRIMARY KEY (url_id, slot);

ALTER TABLE ONLY public.crawled_by
    ADD CONSTRAINT crawled_by_pkey PRIMARY KEY (kind, name);

ALTER TABLE ONLY public.docdates
    ADD CONSTRAINT docdates_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.docwords
    ADD CONSTRAINT docwords_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.fetcher
    ADD CONSTRAINT fetcher_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.file_mount
    ADD CONSTRAINT file_mount_pkey PRIMARY KEY (path);

ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.host_limit
    ADD CONSTRAINT host_limit_pkey PRIMARY KEY (host);

ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (url_id, seq);

ALTER TABLE ONLY public.markdel
    ADD CONSTRAINT markdel_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.named_by
    ADD CONSTRAINT named_by_pkey PRIMARY KEY (kind, source, url_id);

ALTER TABLE ONLY public.paused_pattern
    ADD CONSTRAINT paused_pattern_pkey PRIMARY KEY (pattern);

ALTER TABLE ONLY public.process
    ADD CONSTRAINT process_pkey PRIMARY KEY (process_id);

ALTER TABLE ONLY public.rankstate
    ADD CONSTRAINT rankstate_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.reindexing
    ADD CONSTRAINT reindexing_pkey PRIMARY KEY (run_id);

ALTER TABLE ONLY public.robots_allow
    ADD CONSTRAINT robots_allow_pkey PRIMARY KEY (hostinfo, path);

ALTER TABLE ONLY public.robots_cache
    ADD CONSTRAINT robots_cache_pkey PRIMARY KEY (hostinfo);

ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_pkey PRIMARY KEY (hostinfo, path);

ALTER TABLE ONLY public.rt_urls
    ADD CONSTRAINT rt_urls_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (seq);

ALTER TABLE ONLY public.site_hold
    ADD CONSTRAINT site_hold_pkey PRIMARY KEY (hold_id);

ALTER TABLE ONLY public.sitemaps
    ADD CONSTRAINT sitemaps_pkey PRIMARY KEY (sitemap_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_pkey PRIMARY KEY (site_id);

ALTER TABLE ONLY public.sites
    ADD CONSTRAINT sites_site_key UNIQUE (site);

ALTER TABLE ONLY public.sitestate
    ADD CONSTRAINT sitestate_pkey PRIMARY KEY (site_id);

ALTER TABLE ONLY public.soft404_probe
    ADD CONSTRAINT soft404_probe_pkey PRIMARY KEY (site_id);

ALTER TABLE ONLY public.spaces
    ADD CONSTRAINT spaces_pkey PRIMARY KEY (space_id, site_id);

ALTER TABLE ONLY public.subsetdocs
    ADD CONSTRAINT subsetdocs_pkey PRIMARY KEY (subset_id, site_id, block);

ALTER TABLE ONLY public.subsets
    ADD CONSTRAINT subsets_mask_key UNIQUE (mask);

ALTER TABLE ONLY public.subsets
    ADD CONSTRAINT subsets_pkey PRIMARY KEY (subset_id);

ALTER TABLE ONLY public.subsetstate
    ADD CONSTRAINT subsetstate_pkey PRIMARY KEY (subset_id);

ALTER TABLE ONLY public.suggestions
    ADD CONSTRAINT suggestions_pkey PRIMARY KEY (query);

ALTER TABLE ONLY public.suggestionstate
    ADD CONSTRAINT suggestionstate_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.tmpurl
    ADD CONSTRAINT tmpurl_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.totals
    ADD CONSTRAINT totals_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.urlkey
    ADD CONSTRAINT urlkey_pkey PRIMARY KEY (url_hash);

ALTER TABLE ONLY public.urlrank
    ADD CONSTRAINT urlrank_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlstate
    ADD CONSTRAINT urlstate_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlword
    ADD CONSTRAINT urlword_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords00
    ADD CONSTRAINT urlwords00_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords01
    ADD CONSTRAINT urlwords01_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords02
    ADD CONSTRAINT urlwords02_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords03
    ADD CONSTRAINT urlwords03_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords04
    ADD CONSTRAINT urlwords04_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords05
    ADD CONSTRAINT urlwords05_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords06
    ADD CONSTRAINT urlwords06_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords07
    ADD CONSTRAINT urlwords07_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords08
    ADD CONSTRAINT urlwords08_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords09
    ADD CONSTRAINT urlwords09_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords10
    ADD CONSTRAINT urlwords10_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords11
    ADD CONSTRAINT urlwords11_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords12
    ADD CONSTRAINT urlwords12_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords13
    ADD CONSTRAINT urlwords13_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords14
    ADD CONSTRAINT urlwords14_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.urlwords15
    ADD CONSTRAINT urlwords15_pkey PRIMARY KEY (url_id);

ALTER TABLE ONLY public.wordfile
    ADD CONSTRAINT wordfile_pkey PRIMARY KEY (word_id, level, seq, first_site, first_url);

ALTER TABLE ONLY public.wordrules
    ADD CONSTRAINT wordrules_pkey PRIMARY KEY (single);

ALTER TABLE ONLY public.wordsite
    ADD CONSTRAINT wordsite_pkey PRIMARY KEY (word);

ALTER TABLE ONLY public.wordurl1
    ADD CONSTRAINT wordurl1_pkey PRIMARY KEY (word);

ALTER TABLE ONLY public.wordurl1
    ADD CONSTRAINT wordurl1_word_id_key UNIQUE (word_id);

ALTER TABLE ONLY public.wordurl
    ADD CONSTRAINT wordurl_pkey PRIMARY KEY (word_id);

ALTER TABLE ONLY public.wordurl
    ADD CONSTRAINT wordurl_word_key UNIQUE (word);

CREATE INDEX docdates_ruled ON public.docdates USING btree (url_id) WHERE (unruled IS NOT NULL);

CREATE INDEX journal_order ON public.journal USING btree (schedule_seq, place);

CREATE INDEX markdel_order ON public.markdel USING btree (schedule_seq);

CREATE INDEX named_by_url_id ON public.named_by USING btree (url_id);

CREATE INDEX process_run ON public.process USING btree (run_id);

CREATE INDEX schedule_open ON public.schedule USING btree (seq) WHERE (status = 's'::"char");

CREATE UNIQUE INDEX site_hold_open ON public.site_hold USING btree (site_id) WHERE (ended_at IS NULL);

CREATE INDEX sitemaps_parents ON public.sitemaps USING gin (parents);

CREATE UNIQUE INDEX sitemaps_site_url ON public.sitemaps USING btree (site_id, md5(url));

CREATE INDEX sitestate_due ON public.sitestate USING btree (next_due) WHERE (lease_seq = 0);

CREATE INDEX sitestate_host ON public.sitestate USING btree (host);

CREATE INDEX sitestate_new ON public.sitestate USING btree (site_id) WHERE (NOT labelled);

CREATE INDEX sitestate_turn ON public.sitestate USING btree (next_class, leased_at, site_id) WHERE ((lease_seq = 0) AND (next_class < 9));

CREATE INDEX stat_start ON public.stat USING btree (start);

CREATE INDEX urlstate_canonical ON public.urlstate USING btree (url_id) WHERE (canonical > 0);

CREATE INDEX urlstate_dated ON public.urlstate USING btree (url_id) WHERE (dated IS NOT NULL);

CREATE INDEX urlstate_kept ON public.urlstate USING btree (url_id) WHERE (kept_since IS NOT NULL);

CREATE INDEX urlstate_redirect ON public.urlstate USING btree (url_id) WHERE (redirect <> 0);

CREATE INDEX urlstate_unreachable ON public.urlstate USING btree (url_id) WHERE ((error_class = 'unreachable'::text) AND (error_count >= 4));

CREATE INDEX urlword_crc ON public.urlword USING btree (crc, url_id) WHERE ((crc <> ''::text) AND (deleted = 0) AND ((status & 65535) = 200));

CREATE INDEX urlword_due ON public.urlword USING btree (site_id, next_index_time, url_id) WHERE ((deleted = 0) AND (status <> 0));

CREATE INDEX urlword_hops ON public.urlword USING btree (site_id, GREATEST((2 * deleted), LEAST(status, 1)), hops, next_index_time, url_id);

CREATE INDEX urlword_lost ON public.urlword USING btree (url_id) WHERE ((status >= 65536) AND (deleted = 0));

CREATE INDEX urlword_new ON public.urlword USING btree (site_id, next_index_time, url_id) WHERE ((deleted = 0) AND (status = 0));

CREATE INDEX urlword_next_index_time ON public.urlword USING btree (next_index_time);

CREATE INDEX urlword_origin ON public.urlword USING btree (origin) WHERE (origin <> 0);

CREATE INDEX urlword_typed ON public.urlword USING btree (site_id) WHERE ((hops = 0) AND (referrer = 0));

CREATE INDEX urlword_withdrawn ON public.urlword USING btree (site_id, next_index_time, url_id) WHERE (deleted = 1);

CREATE INDEX wordsite_port ON public.wordsite USING btree (split_part(word, ':'::text, 1)) WHERE (word ~~ '%:%'::text);

CREATE INDEX wordurl_last ON public.wordurl USING btree ("right"(word, 1)) WHERE ((char_length(word) = 2) AND (word >= 'ก'::text));

CREATE INDEX wordurl_plain ON public.wordurl USING btree (public.plain_word(word)) WHERE (public.plain_word(word) <> word);

ALTER TABLE ONLY public.spaces
    ADD CONSTRAINT spaces_site_id_fkey FOREIGN KEY (site_id) REFERENCES public.sites(site_id);

GRANT USAGE ON SCHEMA public TO pgseek_search;

GRANT ALL ON FUNCTION public.character_classes(txt text) TO pgseek_search;

GRANT ALL ON FUNCTION public.document_facets(urls integer[], of_site text, of_lang text, of_type text, of_path text, of_tag text, since timestamp with time zone, until timestamp with time zone) TO pgseek_search;

GRANT ALL ON FUNCTION public.document_type(content_type text) TO pgseek_search;

GRANT SELECT ON TABLE public.urlkey TO pgseek_search;

GRANT ALL ON FUNCTION public.find_url(url text) TO pgseek_search;

GRANT ALL ON FUNCTION public.fold_word(run text) TO pgseek_search;

GRANT ALL ON FUNCTION public.stop_words() TO pgseek_search;

GRANT ALL ON FUNCTION public.form_languages() TO pgseek_search;

REVOKE ALL ON FUNCTION public.grant_search(the_role name, allowed boolean) FROM PUBLIC;

GRANT ALL ON FUNCTION public.hangul_word(word text) TO pgseek_search;

GRANT ALL ON FUNCTION public.language_code(lang text) TO pgseek_search;

GRANT ALL ON FUNCTION public.length_norm(code integer, average double precision, part double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.link_units(link real) TO pgseek_search;

GRANT ALL ON FUNCTION public.place_at(places bytea, n integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.merged_places(lists bytea[]) TO pgseek_search;

GRANT ALL ON FUNCTION public.phrase_places(lists bytea[], offsets integer[], most integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.place_from(places bytea, wanted integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.places_before(places bytea, wanted integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.plain_word(word text) TO pgseek_search;

GRANT ALL ON FUNCTION public.rank_of_score(score double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.redirect_chain(start_url integer, OUT step integer, OUT url_id integer, OUT url text, OUT status integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.search(query text, results integer, match text, ranking text, forms text, site text, lang text, type text, path text, tag text, since timestamp with time zone, until timestamp with time zone) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_aspseek(query text, results integer, site text, lang text, type text, path text, tag text, since timestamp with time zone, until timestamp with time zone) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_excerpt(txt text, words text[]) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_facets(query text, match text, forms text, site text, lang text, type text, path text, tag text, since timestamp with time zone, until timestamp with time zone) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_idf(documents double precision, total double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_languages() TO pgseek_search;

GRANT ALL ON FUNCTION public.search_matches(query text, match text, forms text, judged boolean, loose boolean, site text, lang text, type text, path text, tag text, since timestamp with time zone, until timestamp with time zone) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_parameters() TO pgseek_search;

GRANT ALL ON FUNCTION public.search_plan(query text, match text, forms text, loose boolean) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_rank(bits integer, occurrences integer, link integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_score(lists bytea[], terms integer[], phrases boolean[], places integer[], link integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.search_terms(query text) TO pgseek_search;

GRANT ALL ON FUNCTION public.site_bits(packed integer[]) TO pgseek_search;

GRANT ALL ON FUNCTION public.site_labels(site text) TO pgseek_search;

GRANT ALL ON FUNCTION public.sites_named(names text) TO pgseek_search;

GRANT ALL ON FUNCTION public.status_base(status integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.status_lost(status integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.status_lost_count(status integer) TO pgseek_search;

GRANT SELECT ON TABLE public.subsetdocs TO pgseek_search;

GRANT SELECT ON TABLE public.urlword TO pgseek_search;

GRANT ALL ON FUNCTION public.subset_documents(the_subset integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.text_words(txt text) TO pgseek_search;

GRANT ALL ON FUNCTION public.type_named(name text) TO pgseek_search;

GRANT ALL ON FUNCTION public.u32le(b bytea, at integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.weighted_phrase(lists bytea[], offsets integer[], norm double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.weighted_places(places bytea, norm double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.weighted_word(places bytea, norm double precision) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_records(blob bytea) TO pgseek_search;

GRANT SELECT ON TABLE public.rt_urls TO pgseek_search;

GRANT SELECT ON TABLE public.wordfile TO pgseek_search;

GRANT SELECT ON TABLE public.wordurl TO pgseek_search;

GRANT SELECT ON TABLE public.wordurl1 TO pgseek_search;

GRANT ALL ON FUNCTION public.word_documents(the_word text) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_forms(the_word text, lang text) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_info(blob bytea) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_positions(blob bytea, the_site integer, the_url integer) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_postings(the_word text) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_spellings(typed text) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_stem(word text, lang text) TO pgseek_search;

GRANT ALL ON FUNCTION public.word_variants(the_word text, first boolean, last boolean, spelled boolean) TO pgseek_search;

GRANT SELECT ON TABLE public.citation TO pgseek_search;

GRANT SELECT ON TABLE public.urlstate TO pgseek_search;

GRANT SELECT ON TABLE public.docdates TO pgseek_search;

GRANT SELECT ON TABLE public.sites TO pgseek_search;

GRANT SELECT ON TABLE public.fetcher TO pgseek_search;

GRANT SELECT ON TABLE public.journal TO pgseek_search;

GRANT SELECT ON TABLE public.reindexing TO pgseek_search;

GRANT SELECT ON TABLE public.markdel TO pgseek_search;

GRANT SELECT ON TABLE public.schedule TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords00 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords01 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords02 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords03 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords04 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords05 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords06 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords07 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords08 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords09 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords10 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords11 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords12 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords13 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords14 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords15 TO pgseek_search;

GRANT SELECT ON TABLE public.urlwords TO pgseek_search;

GRANT SELECT ON TABLE public.sites_on_hold TO pgseek_search;

GRANT SELECT ON TABLE public.spaces TO pgseek_search;

GRANT INSERT ON TABLE public.stat TO pgseek_search;

GRANT SELECT ON TABLE public.subsets TO pgseek_search;

GRANT SELECT ON TABLE public.subsetstate TO pgseek_search;

GRANT SELECT ON TABLE public.suggestions TO pgseek_search;

GRANT SELECT ON TABLE public.totals TO pgseek_search;

GRANT SELECT ON TABLE public.urlrank TO pgseek_search;

GRANT SELECT ON TABLE public.wordrules TO pgseek_search;

GRANT SELECT ON TABLE public.wordsite TO pgseek_search;

